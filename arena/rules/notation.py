"""Positions as text: moves in one line, a drawn board, a saved game.

A saved game's file holds rows, columns, line length and goal, then all columns played:

    game 6 7 4 first
    moves 3 3 2
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from arena.common.errors import IllegalMoveError
from arena.rules.position import Position, Rack
from arena.rules.ruleset import MAX_SIDE, Goal, Ruleset

MARKS = "XO"  # Discs of player 0 and of player 1.
WORDS = tuple(map(str, range(MAX_SIDE)))  # Columns as text, cached for speed.
DISCS = f" {MARKS}"  # An empty cell, and a disc of either player.


def format_moves(columns: Iterable[int]) -> str:
    """Return columns, from 0, as text: `3 3 2 4`."""
    return " ".join([WORDS[column] for column in columns])


def parse_moves(text: str) -> tuple[int, ...]:
    """Return the columns of such a text. Raises ValueError with the wrong word."""
    columns = []
    for word in text.split():
        if not (word.isascii() and word.isdecimal()):
            raise ValueError(f"{word[:20]!r} is not a column number")
        columns.append(int(word))
    return tuple(columns)


def draw(position: Position) -> str:
    """Draw the board as the `player` course does: X for player 0, O for player 1."""
    return draw_rack(position.rack())


def draw_rack(rack: Rack, discs: str = DISCS) -> str:
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


FORM = f"expected `game ROWS COLUMNS CONNECT {Goal.FIRST}` (or {Goal.MOST})"
GAME = re.compile(rf"game (\d+) (\d+) (\d+) ({'|'.join(Goal)})", re.ASCII)


def parse_game(text: str) -> Position:
    """Return the position of a saved game. Raises ValueError with line and move."""
    first, *others = [" ".join(line.split()) for line in text.splitlines() if line.strip()] or [""]
    if (found := GAME.fullmatch(first)) is None:
        raise ValueError(f"line 1: {FORM}")
    rows, columns, connect, goal = found.groups()
    try:
        position = Position(Ruleset(int(rows), int(columns), int(connect), Goal(goal)))
    except ValueError as error:
        raise ValueError(f"line 1: {error}") from None
    if len(others) != 1 or others[0].split()[0] != "moves":
        raise ValueError("line 2: expected `moves` and the columns played, and nothing below")
    try:
        for column in parse_moves(others[0].removeprefix("moves")):
            position.play(column)
    except IllegalMoveError as error:
        raise ValueError(f"line 2: move {position.ply + 1}: {error}") from None
    except ValueError as error:
        raise ValueError(f"line 2: {error}") from None
    return position
