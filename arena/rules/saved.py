"""A game in a file, to go on with later: two lines of text.

    game 6 7 4 first
    moves 3 3 2

They are the rows, the columns, the length of a line and the goal; and all columns played.
"""

from __future__ import annotations

from arena.errors import IllegalMoveError
from arena.rules.notation import format_moves, parse_moves
from arena.rules.position import Position
from arena.rules.ruleset import Goal, Ruleset

GAME, MOVES = "game", "moves"
"""The words that the lines begin with."""

FORM = f"expected `{GAME} ROWS COLUMNS CONNECT {Goal.FIRST}` (or {Goal.MOST})"


def format_game(position: Position) -> str:
    """Return the two lines."""
    rules = position.rules
    game = f"{GAME} {rules.rows} {rules.columns} {rules.connect} {rules.goal}"
    return f"{game}\n{MOVES} {format_moves(position.moves)}".rstrip() + "\n"


def parse_game(text: str) -> Position:
    """Return the inverse of `format_game`. Raises ValueError: `line 2: move 5, column 9: …`."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    match lines[:1]:
        case [[word, rows, columns, connect, goal]] if word == GAME:
            rules = _rules(rows, columns, connect, goal)
        case _:
            raise ValueError(f"line 1: {FORM}")
    if len(lines) != 2 or lines[1][0] != MOVES:
        raise ValueError(f"line 2: expected `{MOVES}` and the columns played, and nothing below")
    position = Position(rules)
    try:
        for column in parse_moves(" ".join(lines[1][1:])):
            position.play(column)
    except IllegalMoveError as error:
        raise ValueError(f"line 2: move {position.ply + 1}: {error}") from None
    except ValueError as error:
        raise ValueError(f"line 2: {error}") from None
    return position


def _rules(rows: str, columns: str, connect: str, goal: str) -> Ruleset:
    """Return the rules on the first line. Raises ValueError."""
    numbers = rows, columns, connect
    if goal not in [*Goal] or not all(word.isascii() and word.isdecimal() for word in numbers):
        raise ValueError(f"line 1: {FORM}")
    try:
        return Ruleset(int(rows), int(columns), int(connect), Goal(goal))
    except ValueError as error:
        raise ValueError(f"line 1: {error}") from None
