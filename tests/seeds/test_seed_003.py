"""Seed 003: the `make_move` course's board, players, heuristics and game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from course import Import, answers, random_games


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
