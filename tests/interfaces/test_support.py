"""The course modules that Arena offers: what their documents print, and what else they promise.

They are imported as a bot imports them: by their courses' names, from their own folder.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from arena.interfaces import support
from arena.rules import Position, Ruleset

Import = Callable[[str], Any]


def imported(monkeypatch: pytest.MonkeyPatch, interface: str) -> Iterator[Import]:
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(support.folder(interface)))
        for name in support.modules(interface):
            patch.delitem(sys.modules, name, raising=False)
        yield importlib.import_module
        for name in support.modules(interface):
            sys.modules.pop(name, None)


@pytest.fixture
def next_move(monkeypatch: pytest.MonkeyPatch) -> Iterator[Import]:
    yield from imported(monkeypatch, "next_move")


@pytest.fixture
def make_move(monkeypatch: pytest.MonkeyPatch) -> Iterator[Import]:
    yield from imported(monkeypatch, "make_move")


@pytest.fixture
def pick_move(monkeypatch: pytest.MonkeyPatch) -> Iterator[Import]:
    yield from imported(monkeypatch, "pick_move")


def random_games(games: int = 60) -> Iterator[Position]:
    """Positions at the end of random games on boards of all shapes, four in a row."""
    chance = random.Random(4)
    for _ in range(games):
        position = Position(Ruleset(rows=chance.randint(1, 8), columns=chance.randint(1, 8)))
        while not position.is_over:
            position.play(chance.choice(position.legal()))
        yield position


def answers(monkeypatch: pytest.MonkeyPatch, *given: str) -> None:
    """Have `input` return these texts."""
    texts = iter(given)
    monkeypatch.setattr("builtins.input", lambda _="": next(texts))


# next_move, seed 002


def test_seed_002_prints_boards_like_this(next_move: Import) -> None:
    board = next_move("board").Board(2, 4)
    board.add_checkers("001223")
    assert repr(board).splitlines() == ["|O| |X| |", "|X|X|O|O|", "-" * 9, " 0 1 2 3"]
    board.add_checker("O", 1)
    assert repr(board).splitlines()[0] == "|O|O|X| |"
    wide = repr(next_move("board").Board(1, 12)).splitlines()
    assert wide == ["|" + " |" * 12, "-" * 25, " 0 1 2 3 4 5 6 7 8 9 0 1"]


def test_seed_002_process_move_prints_this(
    next_move: Import, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    board = next_move("board").Board(2, 4)
    process_move, player = next_move("hw07_2").process_move, next_move("hw07_1").Player
    board.add_checkers("0011223")
    assert repr(board).splitlines()[:2] == ["|O|O|O| |", "|X|X|X|X|"]
    answers(monkeypatch, "3")
    assert process_move(player("O"), board) is True
    assert capsys.readouterr().out.splitlines() == [
        "Player O's turn",
        "",
        "|O|O|O|O|",
        "|X|X|X|X|",
        "---------",
        " 0 1 2 3",
        "Player O wins in 1 moves.",
        "Congratulations!",
    ]
    board.remove_checker(3)
    board.remove_checker(3)
    answers(monkeypatch, "3", "3")
    assert process_move(player("O"), board) is False
    capsys.readouterr()
    assert process_move(player("X"), board) is True
    assert capsys.readouterr().out.splitlines()[2:] == [
        "|O|O|O|X|",
        "|X|X|X|O|",
        "---------",
        " 0 1 2 3",
        "It's a tie!",
    ]


def test_seed_002_players_describe_themselves_like_this(next_move: Import) -> None:
    player, ai = next_move("hw07_1").Player("O"), next_move("hw07_3").AIPlayer
    assert (repr(player), player.opponent_checker(), player.num_moves) == ("Player O", "X", 0)
    assert repr(ai("X", "LEFT", 1)) == "Player X (LEFT, 1)"
    assert repr(ai("O", "RANDOM", 2)) == "Player O (RANDOM, 2)"


def test_a_person_is_asked_until_the_column_has_room(
    next_move: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = next_move("board").Board(1, 3)
    board.add_checker("X", 0)
    answers(monkeypatch, "0", "-1", "3", "2")
    player = next_move("hw07_1").Player("O")
    assert (player.next_move(board), player.num_moves) == (2, 1)


def test_seed_002_a_random_player_plays_in_the_free_columns(next_move: Import) -> None:
    board = next_move("board").Board(2, 4)
    board.add_checkers("001223")
    player = next_move("hw07_2").RandomPlayer("X")
    assert {player.next_move(board) for _ in range(50)} == {1, 3}
    assert player.num_moves == 50


@pytest.mark.parametrize(
    ("checker", "lookahead", "scores"),
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
    next_move: Import, checker: str, lookahead: int, scores: list[int]
) -> None:
    board = next_move("board").Board(6, 7)
    board.add_checkers("1211244445")  # the document's picture, by what it says of it
    before = repr(board)
    player = next_move("hw07_3").AIPlayer(checker, "LEFT", lookahead)
    assert player.scores_for(board) == scores
    assert repr(board) == before


def test_seed_002_ties_are_broken_like_this(next_move: Import) -> None:
    ai = next_move("hw07_3").AIPlayer
    scores = [50, 100, 100, 50, 50, 100, 50]
    assert ai("X", "LEFT", 1).max_score_column(scores) == 1
    assert ai("X", "RIGHT", 1).max_score_column(scores) == 5
    drawn = {ai("X", "RANDOM", 1).max_score_column(scores) for _ in range(60)}
    assert drawn == {1, 2, 5}


@pytest.mark.parametrize(("lookahead", "moves"), [(0, 10), (1, 8)])
def test_seed_002_games_end_after_so_many_moves(
    next_move: Import, capsys: pytest.CaptureFixture[str], lookahead: int, moves: int
) -> None:
    module = next_move("hw07_3")
    players = [module.AIPlayer(checker, "LEFT", lookahead) for checker in "XO"]
    module.connect_four(*players)
    said = capsys.readouterr().out
    assert f"Player X (LEFT, {lookahead}) wins in {moves} moves.\nCongratulations!\n" in said


def test_in_connect_four_the_first_named_moves_first_and_moves_count_from_there(
    next_move: Import, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    player, connect_four = next_move("hw07_1").Player, next_move("hw07_2").connect_four
    answers(monkeypatch, *"6061616")
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
        assert [board.is_win_for(c) for c in "XO"] == [position.winner == p for p in (1, 2)]
        assert board.is_full() == position.is_full
        board.reset()
        assert not any(board.is_checker(0, 0, checker) for checker in "XO")


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("hw07_2", {"Board", "Player", "RandomPlayer", "connect_four", "process_move", "random"}),
        ("hw07_3", {"Board", "Player", "RandomPlayer", "AIPlayer", "process_move", "random"}),
        ("ps9pr2", {"Board", "Player"}),
        ("ps9pr3", {"Board", "Player", "RandomPlayer", "connect_four", "process_move", "random"}),
        ("ps9pr4", {"Board", "Player", "AIPlayer", "connect_four", "random"}),
    ],
)
def test_a_star_import_brings_the_whole_chain(
    next_move: Import, module: str, names: set[str]
) -> None:
    assert names <= vars(next_move(module)).keys()


# make_move, seed 003


def from_rows(*rows: str) -> np.ndarray[Any, Any]:
    """`state[col, row]` from rows of digits and dots, the top one first."""
    return np.array([[int(c) for c in row.replace(".", "0").split()] for row in rows]).T


def test_seed_003_prints_this_board(make_move: Import) -> None:
    state = np.array([[0, 0, 1, 1], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert str(make_move("board").Board(state)).splitlines() == [
        " ---  ---  ---  --- ",
        "|   |   |   |   |",
        " ---  ---  ---  --- ",
        "|   |   |   |   |",
        " ---  ---  ---  --- ",
        "| X |   |   |   |",
        " ---  ---  ---  --- ",
        "| X | O |   |   |",
        " ===  ===  ===  === ",
        "| 1 | 2 | 3 | 4 |",
    ]


def test_a_make_move_board_is_made_in_three_ways(make_move: Import) -> None:
    make = make_move("board").Board
    board = make(4, 3)
    assert (board.width, board.height, board.get_board_state().shape) == (4, 3, (4, 3))
    assert [board.play(1, player) for player in (1, 2, 1, 2)] == [True, True, True, False]
    assert not board.is_valid(1)
    copy, again = make(board), make(board.get_board_state())
    child = board.get_new_board(3, 2)
    assert (child.get_value(3, 2), board.get_value(3, 2)) == (2, 0)
    board.play(0, 1)
    board.get_board_state()[2, 2] = 1
    for other in (copy, again):
        assert other.get_board_state().tolist() == [[0] * 3, [1, 2, 1], [0] * 3, [0] * 3]
    with pytest.raises(TypeError, match="width and a height"):
        make()


def test_winning_agrees_with_the_rules_on_any_shape(make_move: Import) -> None:
    board, app = make_move("board"), make_move("app")
    for position in random_games():
        made = board.Board(position.rules.columns, position.rules.rows)
        for ply, column in enumerate(position.moves):
            assert app.winning(made.get_board_state(), 4) == 0
            made.play(column, ply % 2 + 1)
        assert app.winning(made.get_board_state(), 4) == (position.winner or -1)


@pytest.mark.parametrize(
    ("rows", "score"),
    [
        ([". . . . .", ". . . . .", ". . . . .", "1 1 1 . ."], 3),
        ([". . . .", ". . . .", "1 . . .", "1 . . .", "1 . . ."], 3),
        ([". . . .", ". . . .", ". . 1 .", ". 1 . .", "1 . . ."], 3),
        (["1 . . .", "2 1 . .", "2 2 1 ."], 3),
        ([". . . . .", "2 2 2 . .", ". . . . .", ". . . . ."], 0),
        (["1 . . .", "1 . 1 .", ". 1 . ."], 2),
    ],
)
def test_seed_003_boards_are_worth_this(make_move: Import, rows: Sequence[str], score: int) -> None:
    heuristic = make_move("heuristics").SimpleHeuristic(4)
    assert heuristic.evaluate_board(1, make_move("board").Board(from_rows(*rows))) == score
    assert (heuristic.eval_count, str(heuristic)) == (1, "Simple")


def test_seed_003_the_best_action_completes_the_row(make_move: Import) -> None:
    heuristic = make_move("heuristics").SimpleHeuristic(4)
    rows = [". . . . . . ."] * 4 + ["2 . 2 . 1 . .", "1 1 1 . 2 . ."]
    board = make_move("board").Board(from_rows(*rows))
    utils = [heuristic.evaluate_board(1, board.get_new_board(col, 1)) for col in range(7)]
    assert utils == [3, 3, 3, 7, 3, 3, 3]
    heuristic.eval_count = 0
    assert heuristic.get_best_action(1, board) == 3
    assert heuristic.eval_count == 14  # twice for every column, as the document says
    assert heuristic.evaluate_board(2, board.get_new_board(3, 1)) == -7


def test_a_full_board_without_a_row_is_worth_nothing(make_move: Import) -> None:
    board = make_move("board").Board(from_rows("1 2", "2 1"))
    assert make_move("app").winning(board.get_board_state(), 3) == -1
    assert make_move("heuristics").SimpleHeuristic(3).evaluate_board(1, board) == 0


def test_the_make_move_modules_play_a_game_between_persons(
    make_move: Import, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = make_move("app")
    answers(monkeypatch, "1", "2", "x", "0", "8", "1", "2", "1", "2", "1")
    app.start_game(4, make_move("board").Board(7, 6), app.get_players(4))
    said = capsys.readouterr().out
    assert "Heuristic Simple suggests column 1." in said
    assert said.splitlines()[-3:] == [
        "Player X won!",
        "Player X evaluated a board 56 times.",
        "Player O evaluated a board 42 times.",
    ]


def test_the_courses_searchers_look_one_disc_ahead(make_move: Import) -> None:
    heuristic = make_move("heuristics").SimpleHeuristic(4)
    board = make_move("board").Board(from_rows(". . . . .", "1 1 1 . ."))
    for name in ("MinMaxPlayer", "AlphaBetaPlayer"):
        player = getattr(make_move("players"), name)(1, 4, depth=4, heuristic=heuristic)
        assert player.make_move(board) == 3


# pick_move, seed 001


def test_connect4_finds_wins_on_any_shape(pick_move: Import) -> None:
    game = pick_move("connect4")
    for position in random_games():
        rack = game.make_rack(position.rules.columns, position.rules.rows)
        for ply, column in enumerate(position.moves):
            assert game.find_win(rack) is None
            assert game.exists_legal_move(rack)
            game.place_disc(rack, ply % 2 + 1, column)
        found = game.find_win(tuple(map(tuple, rack)), position.moves[-1])
        assert (found is not None) == bool(position.winner)
        assert (game.find_win(rack) is not None) == bool(position.winner)
        if found is not None:
            (c, r), (d, s) = found
            assert rack[c][r] == rack[d][s] == position.winner
            assert max(abs(d - c), abs(s - r)) >= 3


def test_connect4_prints_racks_and_refuses_full_columns(
    pick_move: Import, capsys: pytest.CaptureFixture[str]
) -> None:
    game = pick_move("connect4")
    rack = game.make_rack(num_columns=11, num_rows=2)
    game.place_disc(rack, 1, 0)
    game.place_disc(rack, 2, 0)
    game.print_rack(rack)
    assert capsys.readouterr().out.splitlines() == [
        "                  1 1",
        "1 2 3 4 5 6 7 8 9 0 1",
        "O . . . . . . . . . .",
        "X . . . . . . . . . .",
    ]
    assert game.exists_legal_move(rack)
    with pytest.raises(IndexError, match="column 0 is full"):
        game.place_disc(rack, 1, 0)
    assert (len(game.make_rack()), len(game.make_rack()[0])) == (7, 6)


def test_every_module_is_importable_by_itself(
    next_move: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in support.modules("next_move"):
        for other in support.modules("next_move"):
            sys.modules.pop(other, None)
        assert next_move(name).__doc__
