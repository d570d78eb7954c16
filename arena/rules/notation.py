"""Positions as text: the moves of a game in one line, the board as a drawing."""

from __future__ import annotations

from collections.abc import Iterable

from arena.rules.position import Position, Rack
from arena.rules.ruleset import MAX_SIDE

MARKS = "XO"
"""How discs of player 0 and of player 1 are drawn."""

WORDS = tuple(map(str, range(MAX_SIDE)))
"""Columns as text: looked up, as a contest has many moves."""

DISCS = f" {MARKS}"
"""How the cells of a rack are drawn: an empty one, and a disc of either player."""


def format_moves(columns: Iterable[int]) -> str:
    """Columns counted from 0, separated by spaces: `3 3 2 4`. One form for any width of board."""
    return " ".join([WORDS[column] for column in columns])


def parse_moves(text: str) -> tuple[int, ...]:
    """Return the inverse of `format_moves`. Raises ValueError naming the word that is no column."""
    columns = []
    for word in text.split():
        if not (word.isascii() and word.isdecimal()):
            raise ValueError(f"{word[:20]!r} is not a column number")
        columns.append(int(word))
    return tuple(columns)


def draw(position: Position) -> str:
    """Draw the board as seed 000 does: column numbers on top, X for player 0, O for player 1."""
    return draw_rack(position.rack())


def draw_rack(rack: Rack, discs: str = DISCS) -> str:
    """Any rack as a board; columns from 10 on show their last digit under a line of tens."""
    rows, columns = len(rack[0]), len(rack)
    tens = "".join(f" {c // 10}" if c >= 10 else "  " for c in range(columns))
    lines = [f" {tens}"] if columns > 10 else []
    lines.append(" " + "".join(f" {c % 10}" for c in range(columns)))
    edge = "-" * (2 * columns + 3)
    lines.append(edge)
    for row in reversed(range(rows)):
        lines.append("|" + "".join(f" {discs[rack[c][row]]}" for c in range(columns)) + " |")
    lines.append(edge)
    return "\n".join(lines)
