"""Boards as words of 64 bits: the cells that can be played, threats and lines, compiled.

The board is two words: the discs of the side to move, and all discs.

Cell (column, row) is bit `column * stride + row`, row 0 at the bottom. Where it fits, stride is
rows + 1, which leaves an empty cell on top of each column; else it is rows, and masks keep lines
from running out of one column into the next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from arena.engine.jit import compiled, inlined
from arena.engine.machine_code import BITS
from arena.rules import Ruleset


def _popcount(_: Any, word: Any) -> Any:
    """Number of bits that are set, as numba's extensions are written."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


popcount: Any = intrinsic(_popcount)
"""Number of bits that are set."""


@inlined
def lowest(word: Any) -> Any:
    """Return the number of the lowest bit that is set; there must be one."""
    return popcount(~word & (word - np.uint64(1)))


ZERO, ONE, TWO, THREE, FOUR = map(np.uint64, range(5))


class Bitboard(NamedTuple):
    """The rules as the compiled code knows them; every field is a uint64."""

    cells: Any
    """All cells."""

    bottom: Any
    """The lowest cell of every column."""

    top: Any
    """The highest cell of every column."""

    lower: Any
    """Cells in which a line upwards can start: those with connect - 1 cells above them."""

    follower: Any
    """Cells that whoever answers every disc in its own column gets: counted from the top, every
    second one, the highest included."""

    stride: Any
    """Bits from a cell to its neighbour on the right."""

    connect: Any
    """Discs in a line."""

    wide: Any
    """1 if a row has room for a line, else 0."""

    gather: Any
    """Multiplied with the `bottom` cells of some columns gives a bit for each in the highest bits;
    0 where position + discs is a key by itself."""

    pile: Any
    """The cells of the first column."""

    rows: Any
    """Height of the board."""


def board_of(rules: Ruleset) -> Bitboard:
    """Return the constants of a board that `fits`."""
    rows, columns, connect = rules.rows, rules.columns, rules.connect
    spare = columns * (rows + 1) <= BITS
    stride = rows + 1 if spare else rows

    def cells(wanted: range) -> int:
        return sum(
            1 << column * stride + row for column in range(columns) for row in wanted if row >= 0
        )

    gather = sum(1 << BITS - columns - column * (stride - 1) for column in range(columns))
    return Bitboard(
        *map(
            np.uint64,
            (
                cells(range(rows)),
                cells(range(1)),
                cells(range(rows - 1, rows)),
                cells(range(rows - connect + 1)),
                cells(range(rows - 1, -1, -2)),
                stride,
                connect,
                int(columns >= connect),
                0 if spare else gather,
                (1 << rows) - 1,
                rows,
            ),
        )
    )


@inlined
def playable(discs: Any, board: Any) -> Any:
    """Return the cell on top of every column that has room."""
    return (discs << ONE | board.bottom) & board.cells & ~discs


@inlined
def _fourths(own: Any, step: Any, three: Any, two: Any, one: Any, none: Any) -> Any:
    """Cells that make a line of four along `step`; masks for those with 3, 2, 1, 0 cells before."""
    pair = (own << step) & (own << step + step)
    cells = pair & (own << step + step + step) & three
    cells |= pair & (own >> step) & two
    pair = (own >> step) & (own >> step + step)
    cells |= pair & (own << step) & one
    return cells | pair & (own >> step + step + step) & none


@inlined
def _lasts(own: Any, step: Any, rise: Any, board: Any) -> Any:
    """Cells that make a line of any length along `step`, which goes up `rise` (-1, 0, 1) rows."""
    connect = np.int64(board.connect)
    cells = ZERO
    for before in range(connect):
        line = board.cells
        for distance in range(1, before + 1):
            line &= own << step * np.uint64(distance)
        for distance in range(1, connect - before):
            line &= own >> step * np.uint64(distance)
        if rise == 1:
            line &= board.lower << np.uint64(before)
        elif rise == -1:
            line &= board.lower << np.uint64(connect - 1 - before)
        cells |= line
    return cells


@compiled
def _any_threats(own: Any, board: Any) -> Any:
    """Return the cells, empty or not, that make a line of any length with `own` discs."""
    stride, lower = board.stride, board.lower
    cells = ZERO
    # a step that the board has no room for could shift by more bits than there are
    if lower != ZERO:
        upright = lower << board.connect - ONE
        for distance in range(1, np.int64(board.connect)):
            upright &= own << np.uint64(distance)
        cells |= upright
    if board.wide != ZERO:
        cells |= _lasts(own, stride, 0, board)
        if lower != ZERO:
            cells |= _lasts(own, stride + ONE, 1, board)
            cells |= _lasts(own, stride - ONE, -1, board)
    return cells


@inlined
def threats(own: Any, discs: Any, board: Any) -> Any:
    """Return the empty cells in which a disc would make a line with `own` discs."""
    stride, lower = board.stride, board.lower
    if board.connect == FOUR and board.wide != ZERO and lower != ZERO:
        three, two, one, none = lower << THREE, lower << TWO, lower << ONE, lower
        cells = (own << ONE) & (own << TWO) & (own << THREE) & three
        every = board.cells
        cells |= _fourths(own, stride, every, every, every, every)
        cells |= _fourths(own, stride + ONE, three, two, one, none)
        cells |= _fourths(own, stride - ONE, none, one, two, three)
    else:
        cells = _any_threats(own, board)
    return cells & board.cells & ~discs


@compiled
def _any_starts(own: Any, step: Any, connect: Any) -> Any:
    """Return where runs of `connect` discs start, for lines of any length."""
    starts = own
    for distance in range(1, np.int64(connect)):
        starts &= own >> step * np.uint64(distance)
    return starts


@inlined
def _starts(own: Any, step: Any, connect: Any) -> Any:
    """Return the cells in which runs of `connect` discs along `step` start."""
    if connect == FOUR:
        pairs = own & own >> step
        return pairs & pairs >> step + step
    return _any_starts(own, step, connect)


@inlined
def has_line(own: Any, board: Any) -> Any:
    """Return whether these cells hold a line."""
    stride, connect, lower = board.stride, board.connect, board.lower
    starts = ZERO
    if lower != ZERO:
        starts = _starts(own, ONE, connect) & lower
    if board.wide != ZERO:
        starts |= _starts(own, stride, connect)
        if lower != ZERO:
            starts |= _starts(own, stride + ONE, connect) & lower
            starts |= _starts(own, stride - ONE, connect) & lower << connect - ONE
    return starts != ZERO
