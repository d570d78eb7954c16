"""Seed 000: the boards, wins and evaluations of CS 4100's homework on an 8×8 board."""

from __future__ import annotations

import pytest
from seeds.boards import EIGHT, NO_WINS, O_WINS, X_WINS, cells_of, lines_of

from arena.rules import Goal, Position, Ruleset, draw, fifty_ten, line_table


@pytest.mark.parametrize("board", X_WINS)
def test_seed_000_x_wins(board: str) -> None:
    assert lines_of(EIGHT, board.split(), 1) > 0
    assert lines_of(EIGHT, board.split(), 2) == 0


@pytest.mark.parametrize("board", O_WINS)
def test_seed_000_o_wins(board: str) -> None:
    assert lines_of(EIGHT, board.split(), 2) > 0
    assert lines_of(EIGHT, board.split(), 1) == 0


@pytest.mark.parametrize("board", NO_WINS)
def test_seed_000_nobody_wins(board: str) -> None:
    assert lines_of(EIGHT, board.split(), 1) == lines_of(EIGHT, board.split(), 2) == 0


def test_seed_000_has_thirteen_thirteen_and_five_boards() -> None:
    assert (len(X_WINS), len(O_WINS), len(NO_WINS)) == (13, 13, 5)


def test_seed_000_prints_this_board_after_nine_moves() -> None:
    position = Position(EIGHT, [3, 4, 0, 7, 5, 3, 4, 5, 5])
    assert draw(position).splitlines() == [
        "  0 1 2 3 4 5 6 7",
        "-------------------",
        "|                 |",
        "|                 |",
        "|                 |",
        "|                 |",
        "|                 |",
        "|           X     |",
        "|       O X O     |",
        "| X     X O X   O |",
        "-------------------",
    ]


def test_seed_000_prints_this_full_board() -> None:
    across = list(range(8))
    position = Position(Ruleset(rows=8, columns=8, goal=Goal.MOST), (across + across[::-1]) * 4)
    rows = draw(position).splitlines()[2:-1]
    assert rows == ["| O X O X O X O X |", "| X O X O X O X O |"] * 4
    assert position.is_full


EVALUATIONS = [
    ([3, 0, 4, 2, 5, 2, 4], -80),
    ([6, 5, 1], 0),
    ([0, 2, 6, 1, 2, 1], 20),
    ([2, 6, 6, 1, 4, 0, 3, 3, 3, 2], -20),
    ([4, 3, 2, 6, 5, 3, 7, 5, 4, 4, 1, 2], 90),
    ([3, 5, 6, 2, 2, 5, 7, 3, 6, 6, 5, 4, 6, 4, 4], -10),
    (
        [5, 1, 7, 0, 3, 6, 1, 4, 2, 2, 5, 0, 4, 5, 4, 2, 3, 6]
        + [6, 1, 1, 2, 2, 7, 6, 7, 2, 0, 0, 5, 4, 7, 7, 4, 2],
        -30,
    ),
]


@pytest.mark.parametrize(("moves", "value"), EVALUATIONS)
def test_seed_000_evaluates_for_o_with_50_and_10(moves: list[int], value: int) -> None:
    assert -Position(EIGHT, moves).evaluate(fifty_ten(4)) == value


def test_seed_000_evaluates_a_dead_board_as_zero() -> None:
    one, two = "21212121", "12121212"
    table = line_table(EIGHT)
    holds = table.holds(cells_of([one, two, two, one, two, two, one, two]))
    assert sum(table.values(fifty_ten(4))[hold] for hold in holds) == 0


def test_seed_000_sees_both_players_win() -> None:
    on = Ruleset(rows=8, columns=8, goal=Goal.MOST)
    o_won = Position(on, [7, 1, 1, 5, 6, 1, 7, 6, 1, 3, 1, 2, 6, 0, 6]).lines_made
    x_won = Position(on, [7, 7, 7, 4, 0, 0, 7, 6, 7, 2, 6, 6, 7, 6, 1]).lines_made
    assert (o_won[0], x_won[1]) == (0, 0)
    assert min(o_won[1], x_won[0]) > 0
