"""Boards that people draw or programs print, read as positions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from arena.common.errors import IllegalMoveError
from arena.rules.notation import MARKS
from arena.rules.position import Position
from arena.rules.ruleset import Ruleset

CELLS = {**dict.fromkeys(("X", "x", "1"), 1), **dict.fromkeys(("O", "o", "2"), 2)}
CELLS |= dict.fromkeys((" ", "", ".", "·", "_", "-", "0"), 0)
EDGE = re.compile(r"[|+=─-]*[+=─-]{2}[|+=─-]*")  # A line above, below or between rows.
BRACKETS = str.maketrans("[](),", "     ")
RACK = re.compile(r"\(\s*\(")  # Begins a rack, which has columns; other lists have rows, top first.
DIGITS = 3  # With up to DIGITS columns, `0 1 2` may be a row; with more, it numbers columns.
MOST_TRIED = 100_000  # Positions that are tried for an order of moves.


def parse_picture(text: str, rules: Ruleset) -> Position:
    """Return the position of a drawn board, with its discs in a possible order.

    Reads what `draw` writes; rows of X, O and dots, or of 0, 1 and 2, also in Python's brackets;
    and the rack of `pick_move`, in columns from the bottom. Raises ValueError.
    """
    if RACK.match(text.strip()):
        columns = [part.translate(BRACKETS).split() for part in text.split("),")]
        found = [_cells(cells, f"column {place}") for place, cells in enumerate(columns)]
        is_right = len(found) == rules.columns and {len(each) for each in found} == {rules.rows}
    else:
        rows = list(_rows(text, rules.columns))
        is_right = len(rows) == rules.rows
        found = [list(column) for column in zip(*reversed(rows), strict=True)]
    if not is_right:
        raise ValueError(f"expected {rules.rows} rows of {rules.columns} cells, as of {rules}")
    stacks = [_stack(column, place) for place, column in enumerate(found)]
    ones, twos = (sum(stack.count(disc) for stack in stacks) for disc in (1, 2))
    if ones - twos not in (0, 1):
        raise ValueError(f"{ones} {MARKS[0]} and {twos} {MARKS[1]}: {MARKS[0]} moves first")
    try:
        return Position(rules, _order(stacks))
    except IllegalMoveError:
        raise ValueError("the game was over before its last disc") from None


def _rows(text: str, columns: int) -> Iterator[list[int]]:
    numbers = [[str(column % 10) for column in range(first, columns + first)] for first in (0, 1)]
    has_sides = "|" in text
    for number, line in enumerate(text.replace("],", "\n").translate(BRACKETS).splitlines(), 1):
        body = line.strip()
        words = body.split()
        is_short = len(words) < columns != len(body) and all(map(str.isdigit, words))
        is_caption = is_short or (words in numbers and (has_sides or columns > DIGITS))
        if not body or EDGE.fullmatch(body) or is_caption:
            continue
        cells: Sequence[str] = words if len(words) == columns else body
        if "|" in body:
            inner = body[body.index("|") + 1 : max(body.rindex("|"), body.index("|") + 1)]
            cells = inner.split("|") if "|" in inner else inner[1::2]
        if len(cells) != columns:
            raise ValueError(f"line {number}: expected {columns} cells")
        yield _cells(cells, f"line {number}")


def _cells(cells: Sequence[str], place: str) -> list[int]:
    found = []
    for cell in cells:
        known = CELLS.get(cell.strip(), CELLS.get(cell.strip().rstrip(".")))  # numpy prints `1.`
        if known is None:
            raise ValueError(f"{place}: {cell.strip()[:20]!r} is neither X, O nor an empty cell")
        found.append(known)
    return found


def _stack(column: Sequence[int], place: int) -> tuple[int, ...]:
    height = len(column)
    while height and not column[height - 1]:
        height -= 1
    if 0 in column[:height]:
        raise ValueError(f"column {place}: a disc has no disc below it")
    return tuple(column[:height])


def _order(stacks: Sequence[tuple[int, ...]]) -> list[int]:
    """Return an order of moves that makes these stacks. Raises ValueError if none is found."""
    total = sum(map(len, stacks))
    heights = [0] * len(stacks)
    moves: list[int] = []
    dead: set[tuple[int, ...]] = set()  # heights from which no order leads to the end
    choices = [_next_columns(stacks, heights, 1)]
    while len(moves) < total:
        if choices[-1]:
            moves.append(choices[-1].pop())
            heights[moves[-1]] += 1
            is_dead = tuple(heights) in dead
            choices.append([] if is_dead else _next_columns(stacks, heights, len(moves) % 2 + 1))
            continue
        dead.add(tuple(heights))
        if not moves or len(dead) >= MOST_TRIED:
            raise ValueError("no order of moves was found that leads to this board")
        choices.pop()
        heights[moves.pop()] -= 1
    return moves


def _next_columns(stacks: Sequence[tuple[int, ...]], heights: list[int], disc: int) -> list[int]:
    """Return the columns whose next disc is `disc`; that with the most discs left is last."""
    left = {column: len(stack) - heights[column] for column, stack in enumerate(stacks)}
    fits = (c for c, stack in enumerate(stacks) if left[c] and stack[heights[c]] == disc)
    return sorted(fits, key=lambda column: left[column])
