"""Boards of MaxConnect4 in files: any layout is read, anything else refused with a reason."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.common.errors import IllegalMoveError
from arena.rules import RULESETS, Grid
from engine.brute_force import BruteForce

SEVEN = "expected 7 lines (the rows of the board and the digit of the player to move)"
ROWS = ["0000000", "0000000", "0000000", "2000000", "1002000", "2101012"]
columns = st.lists(st.sampled_from((1, 2)), max_size=6).map(lambda c: (*c, *[0] * (6 - len(c))))
grids = st.builds(Grid, st.tuples(*[columns] * 7), st.sampled_from((0, 1)))


@given(grids)
def test_what_is_written_is_read_again(grid: Grid) -> None:
    assert Grid.parse(grid.text()) == grid


@given(grids)
def test_its_score_is_what_counting_gives(grid: Grid) -> None:
    discs = tuple(tuple(filter(None, column)) for column in grid.rack)
    assert grid.score == BruteForce(RULESETS["max"], ()).made(discs)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end", "two ends", "spaces"])
def test_lines_may_end_as_they_like_and_the_last_one_not_at_all(end: str, last: str) -> None:
    after = {"": "", "end": end, "two ends": end * 2, "spaces": "  "}[last]
    grid = Grid.parse(end.join([*ROWS, "2"]) + after)
    assert grid.rows() == ROWS
    assert grid.text() == "\n".join([*ROWS, "2", ""])


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], f"{SEVEN}, found 0"),
        (ROWS, f"{SEVEN}, found 6"),
        ([*ROWS[1:], "1"], f"{SEVEN}, found 6"),
        ([ROWS[0], *ROWS, "1"], f"{SEVEN}, found 8"),
        ([*ROWS[:2], "000000", *ROWS[3:], "1"], "line 3 is '000000': expected 7 digits 0, 1 or 2"),
        ([*ROWS[:5], "2101312", "1"], "line 6 is '2101312': expected 7 digits 0, 1 or 2"),
        ([*ROWS, "0"], "line 7 is '0': expected 1 or 2, the player to move"),
        ([*ROWS, "12"], "line 7 is '12': expected 1 or 2, the player to move"),
        (["0000001", *ROWS[1:], "1"], "line 1: a disc in the air in column 6"),
        ([*ROWS[:5], "0101012", "1"], "line 5: a disc in the air in column 0"),
        (["1000000", *ROWS[1:5], "0101012", "1"], "line 1: a disc in the air in column 0"),
    ],
)
def test_what_is_no_board_is_refused_with_the_line(lines: list[str], why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
        Grid.parse("\n".join(lines))


def test_a_disc_falls_and_the_other_player_is_next() -> None:
    grid = Grid.parse("\n".join([*ROWS, "2"]))
    after = grid.play(0).play(3)
    assert after.rows() == [*ROWS[:2], "2000000", "2001000", *ROWS[4:]]
    assert (after.to_move, grid.rows()) == (1, ROWS)
    full = after.play(0).play(0)
    with pytest.raises(IllegalMoveError, match="column 0 is full"):
        full.play(0)
    for column in (-1, 7):
        with pytest.raises(IllegalMoveError, match=f"column {column} does not exist"):
            grid.play(column)
