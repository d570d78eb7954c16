"""Seed 002: the `next_move` homework's board, players and game."""

from __future__ import annotations

import sys

import pytest
from course import Import, answers, random_games

from arena.interfaces import support


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


def test_every_module_is_importable_by_itself(
    next_move: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in support.modules("next_move"):
        for other in support.modules("next_move"):
            sys.modules.pop(other, None)
        assert next_move(name).__doc__
