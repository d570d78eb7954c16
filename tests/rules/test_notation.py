"""Positions as text."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import Position, Ruleset, draw, format_moves, parse_moves
from arena.rules.picture import parse_picture


def test_moves_survive_being_written_and_read() -> None:
    moves = (3, 0, 31, 10)
    assert format_moves(moves) == "3 0 31 10"
    assert parse_moves(format_moves(moves)) == moves
    assert parse_moves("") == ()


def test_a_word_that_is_no_column_is_named() -> None:
    with pytest.raises(ValueError, match="'x'"):
        parse_moves("3 x")


def test_a_wide_board_has_a_line_of_tens() -> None:
    tens, units, *_ = draw(Position(Ruleset(columns=12))).splitlines()
    assert units.split() == list("012345678901")
    assert tens.endswith(" 1 1")


@st.composite
def positions(draw_: st.DrawFn) -> Position:
    """Any position of a game that is not over."""
    rules = draw_(st.sampled_from([Ruleset(), Ruleset(8, 8), Ruleset(3, 12), Ruleset(4, 3, 3)]))
    position = Position(rules)
    for choice in draw_(st.lists(st.integers(0, 1000), max_size=rules.cells - 1)):
        legal = position.legal()
        position.play(legal[choice % len(legal)])
        if position.is_over:
            position.undo()
            break
    return position


def rows_of(position: Position) -> list[list[int]]:
    return [list(row) for row in zip(*position.rack(), strict=True)][::-1]


@given(positions())
def test_a_board_is_read_as_it_is_drawn_or_printed(position: Position) -> None:
    rows, rules = rows_of(position), position.rules
    for picture in (
        draw(position),
        "\n".join("".join(map(str, row)) for row in rows) + f"\n{position.to_move + 1}\n",
        "\n".join(" ".join(".XO"[cell] for cell in row) for row in rows),
        "\n".join(f"| {' | '.join(' xo'[cell] for cell in row)} |\n+---+---+" for row in rows),
        str(rows),
        str(np.array(rows)),
        str(np.array(rows, float)),
        str(position.rack()),
    ):
        found = parse_picture(picture, rules)
        assert (found.rack(), found.to_move) == (position.rack(), position.to_move), picture


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected 3 rows of 4 cells"),
        ("....\n....\n...\n", "line 3: expected 4 cells"),
        ("....\n.X..\n....\n", "column 1: a disc has no disc below it"),
        ("....\n....\n.X.X\n", "2 X and 0 O: X moves first"),
        ("....\n....\n.?.X\n", "line 3: '?' is neither X, O nor an empty cell"),
        ("....\nXX..\nOO..\n", "no order of moves was found"),
        ("((1, 0, 0), (0, 0, 0))", "expected 3 rows of 4 cells"),
    ],
)
def test_a_picture_that_is_no_position_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        parse_picture(text, Ruleset(3, 4, 3))
