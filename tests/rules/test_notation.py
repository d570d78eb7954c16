"""Positions as text."""

import pytest

from arena.rules import Position, Ruleset, draw, format_moves, parse_moves


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
