"""The board of the compiled search: the line table as flat arrays.

Each line has its *hold* (see `arena.rules.lines`) and the sum of its empty cells' indices. If only
one cell is empty, that sum *is* the cell's index, so threats are known at once. A threat is an
empty cell where a disc would complete a side's line.

Sides are players, 0 and 1. A cell's index is `column * rows + row`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.engine.jit import compiled, entry, inlined
from arena.rules import Rack, Ruleset, Weights, line_table

Array = npt.NDArray[Any]
LINE = 1 << 40  # Gain of a completed line, far above the sum of all lines' weights.


class Lines(NamedTuple):
    rows: int
    columns: int
    connect: int
    start: Array
    """uint32[cells + 1]: index in `through` of each cell's first line."""
    through: Array
    """uint32: the lines of cell 0, of cell 1, …"""
    order: Array
    """int64[columns]: columns from the middle outwards."""
    keys: Array
    """uint64[2 * cells]: Zobrist keys of side 0, then of side 1."""


class Board(NamedTuple):
    hold: Array
    """uint32[lines]"""
    rest: Array
    """int32[lines]: sum of the indices of the line's empty cells."""
    heights: Array
    """int32[columns]"""
    threats: Array
    """uint64[2 * columns], by side: a bit for each row with a threat."""
    counts: Array
    """int16[2 * cells], by side: number of lines that make the cell a threat."""
    levels: Array
    """int32[columns]: scratch heights for `last_to_move`."""
    fresh: Array
    """int32[4 * connect]: scratch for threats that a disc would make."""


def lay_out(rules: Ruleset) -> Lines:
    table = line_table(rules)
    sizes = [len(lines) for lines in table.through]
    rng = random.Random(1)
    return Lines(
        rows=rules.rows,
        columns=rules.columns,
        connect=rules.connect,
        start=np.array([0, *np.cumsum(sizes)], np.uint32),
        through=np.array([line for lines in table.through for line in lines], np.uint32),
        order=np.array(from_the_middle(rules), np.int64),
        keys=np.array([rng.getrandbits(64) for _ in range(2 * rules.cells)], np.uint64),
    )


def from_the_middle(rules: Ruleset) -> list[int]:
    return sorted(range(rules.columns), key=lambda column: abs(2 * column - rules.columns + 1))


def gains_of(rules: Ruleset, weights: Weights) -> Array:
    """Return int64[2, holds]: what a disc of each side gains in a line with this hold."""
    values = line_table(rules).values(weights)
    base = rules.connect + 1
    gains = np.zeros((2, base * base), np.int64)
    for one in range(base):
        for two in range(base - one):
            hold = one + base * two
            if one + two < rules.connect:
                gains[0, hold] = values[hold + 1] - values[hold]
                gains[1, hold] = values[hold] - values[hold + base]
    gains[0, rules.connect - 1] += LINE
    gains[1, (rules.connect - 1) * base] += LINE
    return gains


def fill(lines: Lines, rules: Ruleset, rack: Rack) -> Board:
    table = line_table(rules)
    board = Board(
        hold=np.zeros(len(table.lines), np.uint32),
        rest=np.array([sum(line) for line in table.lines], np.int32),
        heights=np.zeros(rules.columns, np.int32),
        threats=np.zeros(2 * rules.columns, np.uint64),
        counts=np.zeros(2 * rules.cells, np.int16),
        levels=np.zeros(rules.columns, np.int32),
        fresh=np.zeros(4 * rules.connect, np.int32),
    )
    discs = [(disc - 1, column) for column, cells in enumerate(rack) for disc in cells if disc]
    place(lines, board, np.array(discs, np.int64).reshape(-1, 2))
    return board


def static_score(rules: Ruleset, weights: Weights, rack: Sequence[Sequence[int]]) -> int:
    """Return the sum of all lines' gains in a rack, for player 0."""
    table = line_table(rules)
    holds = table.holds([cell for column in rack for cell in column])
    values = table.values(weights)
    one, two = holds.count(table.complete(0)), holds.count(table.complete(1))
    return sum(values[hold] for hold in holds) + LINE * (one - two)


@entry
def place(lines: Lines, board: Board, discs: Array) -> None:
    for i in range(len(discs)):
        put(lines, board, discs[i, 0], discs[i, 1])


@inlined
def put(lines: Lines, board: Board, side: int, column: int) -> None:
    row = board.heights[column]
    cell = column * lines.rows + row
    step = 1 + side * lines.connect
    two_short = (lines.connect - 2) * step
    cells = lines.rows * lines.columns
    for i in range(lines.start[cell], lines.start[cell + 1]):
        line = lines.through[i]
        hold = board.hold[line]
        board.hold[line] = hold + step
        board.rest[line] -= cell
        if hold == two_short:
            last = board.rest[line]
            board.counts[side * cells + last] += 1
            across = last // lines.rows
            board.threats[side * lines.columns + across] |= np.uint64(1) << np.uint64(
                last - across * lines.rows
            )
    board.heights[column] = row + 1


@inlined
def take(lines: Lines, board: Board, side: int, column: int) -> None:
    row = board.heights[column] - 1
    board.heights[column] = row
    cell = column * lines.rows + row
    step = 1 + side * lines.connect
    two_short = (lines.connect - 2) * step
    cells = lines.rows * lines.columns
    for i in range(lines.start[cell], lines.start[cell + 1]):
        line = lines.through[i]
        hold = board.hold[line] - step
        board.hold[line] = hold
        if hold == two_short:
            last = board.rest[line]
            board.counts[side * cells + last] -= 1
            if board.counts[side * cells + last] == 0:
                across = last // lines.rows
                board.threats[side * lines.columns + across] ^= np.uint64(1) << np.uint64(
                    last - across * lines.rows
                )
        board.rest[line] += cell


@inlined
def gain(lines: Lines, board: Board, gains: Array, side: int, column: int) -> int:
    cell = column * lines.rows + board.heights[column]
    total = 0
    for i in range(lines.start[cell], lines.start[cell + 1]):
        total += gains[side, board.hold[lines.through[i]]]
    return total


@compiled
def attacks(lines: Lines, board: Board, side: int, column: int) -> int:
    """Count the threats that a disc would create and that can be filled next.

    2 means two or more, or one right below another threat of the same side.
    """
    row = board.heights[column]
    cell = column * lines.rows + row
    two_short = (lines.connect - 2) * (1 + side * lines.connect)
    fresh = 0
    for i in range(lines.start[cell], lines.start[cell + 1]):
        line = lines.through[i]
        if board.hold[line] == two_short:
            board.fresh[fresh] = board.rest[line] - cell
            fresh += 1
    above = board.threats[side * lines.columns + column] >> np.uint64(row) >> np.uint64(1)
    first = cell + 1 if above & np.uint64(1) else -1
    for i in range(fresh):
        last = board.fresh[i]
        across = last // lines.rows
        height = board.heights[across] + (1 if across == column else 0)
        if last - across * lines.rows == height and last != first:
            if first >= 0:
                return 2
            first = last
    if first < 0:
        return 0
    across = first // lines.rows
    over = first - across * lines.rows + 1
    if over == lines.rows:
        return 1
    if board.threats[side * lines.columns + across] >> np.uint64(over) & np.uint64(1):
        return 2
    for i in range(fresh):
        if board.fresh[i] == first + 1:
            return 2
    return 1
