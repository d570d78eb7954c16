"""Seed 002: the `next_move` homework's board, players and games.

The course modules are Arena's, of `bots/support/next_move`; the last part, the player that
looks ahead, is the demo bot `lookahead`.

| lines | what is printed there | test_seed_002_… |
|---|---|---|
| 51–69 | what a Board has | the_board_does_what_its_table_says |
| 75–96 | Player: attributes, repr, opponent | players_describe_themselves_like_this |
| 98–106 | a person is asked for a column | a_person_names_a_free_column |
| 122–185 | process_move: a win, a move, a tie | process_move_prints |
| 188–190 | a game of two persons | two_people_play |
| 209–216 | which columns have room | a_random_player_knows_the_free_columns |
| 224–245 | RandomPlayer on a board of 2×4 | a_random_player_plays_like_this |
| 249–257 | games of random players | a_game_of_random_players_ends |
| 265 | who may win in process_move | process_move_tells_whether_it_was_the_end |
| 266–267 | moves are counted; seeds | a_random_player_repeats_itself_from_a_seed |
| 277–283, 360–370 | the four scores | a_column_has_one_of_four_scores |
| 299–303, 337–346 | ties | ties_are_broken_like_this |
| 324–331 | AIPlayer's repr | players_describe_themselves_like_this |
| 374–413 | the scores for lookahead 0 to 4 | scores_are_these |
| 415–430 | AIPlayer's moves on that board | the_next_move_is |
| 436–438 | a person against AIPlayer | a_person_plays_against_the_machine |
| 440–463 | two games and their last boards | games_end_like_this |
| 465–467 | a game of 3 against 2 | the_larger_lookahead_does_not_always_win |

Contradictory or unclear:

- `0` stands for the letter O almost everywhere, also in `Player('0')`, and `x` often for X. Slots
  hold 'X', 'O' or ' ', as elsewhere in the text.
- Boards lost top rows, bars, spaces, dashes and column numbers. 233 and 241 show bars and empty
  slots, 177 and 463 the numbers; the rest follows from the moves.
- 105, 347 and 376 were pictures. By its comments, O wins in column 3 of board 376, and X, if it
  plays there, wins above O's answer. The board here has both.
- 211–214: no board has these rows; only the full columns 0 and 3 matter.
- 235–244: the values of random moves are lost. They are columns 1 and 3, then only 3, as a checker
  fills column 1 in between.
- 381 prints six scores for seven columns.
- 410–412: the list is lost; by the comment it is 0 except for column 3, where O wins.
- 164: O has made one move by its own count; checkers placed directly are no moves.
- 443–463: in process_move (136–142) the message follows the last board; here it precedes the board
  that connect_four returns, as a prompt shows it.
- 467: the winner is lost. By the heading, lookahead 3 does not win.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from arena.interfaces.contract import course_modules
from support.course import Import, random_games

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
LoadBot = Callable[[str], ModuleType]


@pytest.fixture
def lookahead(next_move: Import, load_bot: LoadBot) -> Any:
    return load_bot("lookahead")


def types(monkeypatch: Patch, *texts: str) -> None:
    """Make `input` return and print these texts."""
    given = iter(texts)

    def answer(prompt: str = "") -> str:
        text = next(given)
        print(prompt + text)
        return text

    monkeypatch.setattr("builtins.input", answer)


def threatened(board_class: Any) -> Any:
    """Return the board of 374 to 413: O threatens column 3."""
    board = board_class(6, 7)
    board.add_checkers("1211244445")
    return board


def test_seed_002_the_board_does_what_its_table_says(next_move: Import) -> None:
    board = next_move("board").Board(6, 7)
    assert (board.height, board.width, board.slots) == (6, 7, [[" "] * 7] * 6)
    board.add_checkers("1123")
    assert repr(board).splitlines()[4:] == ["| |O| | | | | |", "| |X|X|O| | | |", "-" * 15, NUMBERS]
    assert board.slots[5][1:4] == ["X", "X", "O"]
    assert (board.is_checker(4, 1, "O"), board.is_checker(4, 1, "X")) == (True, False)
    board.remove_checker(1)
    board.remove_checker(0)
    assert board.slots[4] == [" "] * 7
    for _ in range(7):
        board.add_checker("O", 6)
    assert [board.can_add_to(col) for col in (-1, 0, 6, 7)] == [False, True, False, False]
    assert (board.is_win_for("O"), board.is_win_for("X"), board.is_full()) == (True, False, False)
    board.reset()
    assert board.slots == [[" "] * 7] * 6
    board.add_checkers("0123456" * 6)
    assert board.is_full()


def test_boards_number_their_columns_by_the_last_digit(next_move: Import) -> None:
    wide = repr(next_move("board").Board(1, 12)).splitlines()
    assert wide == ["|" + " |" * 12, "-" * 25, " 0 1 2 3 4 5 6 7 8 9 0 1"]


def test_seed_002_players_describe_themselves_like_this(next_move: Import, lookahead: Any) -> None:
    x, o = (next_move("hw07_1").Player(checker) for checker in "XO")
    assert (repr(x), x.checker, x.num_moves) == ("Player X", "X", 0)
    assert (o.opponent_checker(), x.opponent_checker()) == ("X", "O")
    assert repr(lookahead.AIPlayer("X", "LEFT", 1)) == "Player X (LEFT, 1)"
    assert repr(lookahead.AIPlayer("O", "RANDOM", 2)) == "Player O (RANDOM, 2)"


def test_seed_002_a_person_names_a_free_column(next_move: Import, monkeypatch: Patch) -> None:
    board = next_move("board").Board(1, 3)
    board.add_checker("X", 0)
    types(monkeypatch, "0", "-1", "3", "2")
    player = next_move("hw07_1").Player("O")
    assert (player.next_move(board), player.num_moves) == (2, 1)
    assert board.slots == [["X", " ", " "]]


SMALL = ["---------", " 0 1 2 3"]
"""What stands below a board of four columns."""


def turn(checker: str, *rows: str) -> list[str]:
    """Return the output of a move to column 3 on a board of four columns."""
    return [f"Player {checker}'s turn", "Enter a column: 3", "", *rows, *SMALL]


def test_seed_002_process_move_prints(
    next_move: Import, monkeypatch: Patch, capsys: Capture
) -> None:
    board = next_move("board").Board(2, 4)
    process_move, player = next_move("hw07_2").process_move, next_move("hw07_1").Player
    board.add_checkers("0011223")
    assert repr(board).splitlines() == ["|O|O|O| |", "|X|X|X|X|", *SMALL]
    types(monkeypatch, "3", "3", "3")

    def said() -> list[str]:
        return capsys.readouterr().out.splitlines()

    assert process_move(player("O"), board) is True
    won = ["Player O wins in 1 moves.", "Congratulations!"]
    assert said() == [*turn("O", "|O|O|O|O|", "|X|X|X|X|"), *won]
    board.remove_checker(3)
    board.remove_checker(3)
    assert process_move(player("O"), board) is False
    assert said() == turn("O", "|O|O|O| |", "|X|X|X|O|")
    assert process_move(player("X"), board) is True
    assert said() == [*turn("X", "|O|O|O|X|", "|X|X|X|O|"), "It's a tie!"]


@pytest.mark.parametrize("checker", ["X", "O"])
def test_seed_002_process_move_tells_whether_it_was_the_end(
    next_move: Import, capsys: Capture, checker: str
) -> None:
    board = next_move("board").Board(4, 1)
    player = next_move("hw07_2").RandomPlayer(checker)
    ends = [next_move("hw07_2").process_move(player, board) for _ in range(4)]
    assert ends == [False, False, False, True]
    assert f"Player {checker} wins in 4 moves." in capsys.readouterr().out


def test_seed_002_two_people_play(next_move: Import, monkeypatch: Patch, capsys: Capture) -> None:
    player, connect_four = next_move("hw07_1").Player, next_move("hw07_2").connect_four
    types(monkeypatch, *"3435363")
    board = connect_four(player("X"), player("O"))
    said = capsys.readouterr().out
    assert said.startswith(EMPTY + "\nPlayer X's turn\nEnter a column: 3\n\n")
    assert said.endswith(f"\n{board}\nPlayer X wins in 4 moves.\nCongratulations!\n")


NUMBERS = " 0 1 2 3 4 5 6"
EMPTY = "\n".join(["| | | | | | | |"] * 6 + ["-" * 15, NUMBERS])


def test_seed_002_a_random_player_knows_the_free_columns(next_move: Import) -> None:
    board, player = next_move("board").Board(3, 7), next_move("hw07_2").RandomPlayer("X")
    board.add_checkers("000333126")
    assert {player.next_move(board) for _ in range(200)} == {1, 2, 4, 5, 6}


def test_seed_002_a_random_player_plays_like_this(next_move: Import) -> None:
    player = next_move("hw07_2").RandomPlayer("X")
    assert (repr(player), player.opponent_checker()) == ("Player X", "O")
    board = next_move("board").Board(2, 4)
    board.add_checkers("001223")
    assert repr(board).splitlines() == ["|O| |X| |", "|X|X|O|O|", *SMALL]
    assert {player.next_move(board) for _ in range(50)} == {1, 3}
    board.add_checker("O", 1)
    assert repr(board).splitlines() == ["|O|O|X| |", "|X|X|O|O|", *SMALL]
    assert {player.next_move(board) for _ in range(5)} == {3}
    assert player.num_moves == 55


def test_seed_002_a_random_player_repeats_itself_from_a_seed(next_move: Import) -> None:
    board, player = next_move("board").Board(6, 7), next_move("hw07_2").RandomPlayer("X")
    drawn = []
    for _ in range(2):
        random.seed(7)
        drawn.append([player.next_move(board) for _ in range(20)])
    assert drawn[0] == drawn[1]
    assert player.num_moves == 40


def test_seed_002_a_game_of_random_players_ends(next_move: Import, capsys: Capture) -> None:
    module = next_move("hw07_2")
    random.seed(1)
    for _ in range(5):
        board = module.connect_four(*map(module.RandomPlayer, "XO"))
        assert board.is_full() or board.is_win_for("X") != board.is_win_for("O")
    assert capsys.readouterr().out.count("Congratulations!\n") >= 4


def test_seed_002_a_column_has_one_of_four_scores(lookahead: Any) -> None:
    def scores(height: int, moves: str, ahead: int) -> Any:
        board = lookahead.Board(height, 3)
        board.add_checkers(moves)
        return lookahead.AIPlayer("X", "LEFT", ahead).scores_for(board)

    for ahead in (0, 1, 2):
        assert scores(3, "010011", ahead) == [-1, -1, 50], "columns 0 and 1 are full"
        assert scores(4, "0101010", ahead) == [-1, 100, 100], "X has a line"
        assert scores(6, "20202010", ahead) == [0, 0, 0], "O has one"
    assert scores(6, "010101", 1) == [100, 50, 50], "X wins in column 0"
    assert scores(6, "102010", 2) == [50, 0, 0], "O wins in column 0 unless X is there"
    assert scores(1, "01", 3) == [-1, -1, 50], "a tie is neither"


def test_seed_002_ties_are_broken_like_this(lookahead: Any) -> None:
    scores = [50, 100, 100, 50, 50, 100, 50]
    level = [50] * 7
    left, right, chance = (
        lookahead.AIPlayer("X", how, 1).max_score_column for how in ("LEFT", "RIGHT", "RANDOM")
    )
    assert (left(scores), left(level)) == (1, 0)
    assert (right(scores), right(level)) == (5, 6)
    assert {chance(scores) for _ in range(60)} == {1, 2, 5}
    assert {chance(level) for _ in range(200)} == set(range(7))


@pytest.mark.parametrize(
    ("checker", "ahead", "scores"),
    [
        ("X", 0, [50, 50, 50, 50, 50, 50, 50]),
        ("O", 1, [50, 50, 50, 100, 50, 50, 50]),
        ("X", 1, [50, 50, 50, 50, 50, 50, 50]),
        ("X", 2, [0, 0, 0, 50, 0, 0, 0]),
        ("X", 3, [0, 0, 0, 100, 0, 0, 0]),
        ("O", 3, [50, 50, 50, 100, 50, 50, 50]),
        ("O", 4, [0, 0, 0, 100, 0, 0, 0]),
    ],
)
def test_seed_002_scores_are_these(
    lookahead: Any, checker: str, ahead: int, scores: list[int]
) -> None:
    board = threatened(lookahead.Board)
    before = repr(board)
    assert lookahead.AIPlayer(checker, "LEFT", ahead).scores_for(board) == scores
    assert repr(board) == before


@pytest.mark.parametrize(
    ("tiebreak", "ahead", "column"),
    [("RIGHT", 1, 6), ("LEFT", 2, 3), ("RIGHT", 2, 3), ("RANDOM", 2, 3)],
)
def test_seed_002_the_next_move_is(lookahead: Any, tiebreak: str, ahead: int, column: int) -> None:
    player = lookahead.AIPlayer("X", tiebreak, ahead)
    assert player.next_move(threatened(lookahead.Board)) == column
    assert player.num_moves == 1


def test_seed_002_a_person_plays_against_the_machine(
    lookahead: Any, monkeypatch: Patch, capsys: Capture
) -> None:
    types(monkeypatch, *"0123456" * 6)
    machine = lookahead.AIPlayer("O", "RANDOM", 3)
    assert lookahead.connect_four(lookahead.Player("X"), machine).is_win_for("O")
    assert f"Player O (RANDOM, 3) wins in {machine.num_moves} moves." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ahead", "moves", "rows"),
    [
        (0, 10, ["|O|O|O| | | | |", "|X|X|X| | | | |"] * 2 + ["|O|O|O| | | | |"]),
        (1, 8, ["|O|O| | | | | |", "|X|X| | | | | |"] * 2 + ["|O|O|O| | | | |"]),
    ],
)
def test_seed_002_games_end_like_this(
    lookahead: Any, capsys: Capture, ahead: int, moves: int, rows: list[str]
) -> None:
    players = [lookahead.AIPlayer(checker, "LEFT", ahead) for checker in "XO"]
    board = repr(lookahead.connect_four(*players))
    assert board.splitlines() == [*rows, "|X|X|X|X| | | |", "-" * 15, NUMBERS]
    end = f"{board}\nPlayer X (LEFT, {ahead}) wins in {moves} moves.\nCongratulations!\n"
    assert capsys.readouterr().out.endswith(end)


def test_seed_002_the_larger_lookahead_does_not_always_win(lookahead: Any, capsys: Capture) -> None:
    ahead = lookahead.AIPlayer("X", "LEFT", 3)
    board = lookahead.connect_four(ahead, lookahead.AIPlayer("O", "LEFT", 2))
    assert not board.is_win_for("X")


def test_in_connect_four_the_first_named_moves_first(
    next_move: Import, monkeypatch: Patch, capsys: Capture
) -> None:
    player, connect_four = next_move("hw07_1").Player, next_move("hw07_2").connect_four
    types(monkeypatch, *"6061616")
    first, second = player("O"), player("X")
    first.num_moves = 9
    assert connect_four(first, second).is_win_for("O")
    assert "Player O wins in 4 moves." in capsys.readouterr().out
    assert connect_four(player("X"), player("X")) is None


def test_a_next_move_board_knows_wins_and_full_boards_of_any_shape(next_move: Import) -> None:
    for position in random_games():
        board = next_move("board").Board(position.rules.rows, position.rules.columns)
        for ply, column in enumerate(position.moves):
            assert board.can_add_to(column)
            assert not board.is_win_for("X")
            assert not board.is_win_for("O")
            board.add_checker("XO"[ply % 2], column)
        assert [board.is_win_for(c) for c in "XO"] == [position.winner == p for p in (0, 1)]
        assert board.is_full() == position.is_full
        board.reset()
        assert not any(board.is_checker(0, 0, checker) for checker in "XO")


def test_a_star_import_brings_all_modules(next_move: Import) -> None:
    chain = {"Board", "Player", "RandomPlayer", "connect_four", "process_move", "random"}
    for module in ("hw07_2", "hw07_3", "ps9pr3", "ps9pr4"):
        assert chain <= vars(next_move(module)).keys()
    assert {"Board", "Player"} <= vars(next_move("ps9pr2")).keys()


def test_every_module_is_importable_by_itself(next_move: Import, monkeypatch: Patch) -> None:
    for name in course_modules("next_move"):
        for other in course_modules("next_move"):
            sys.modules.pop(other, None)
        assert next_move(name).__doc__
