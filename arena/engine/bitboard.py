"""Boards as 64-bit words: playable cells, threats and lines, compiled.

A board is two words: the discs of the side to move, and all discs. Cell (column, row) is bit
`column * stride + row`, row 0 at the bottom. If the board still fits, stride is rows + 1, leaving
an empty cell above each column. Else stride is rows, and masks keep lines inside columns.
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
    """Return numba's (signature, code generator) for counting set bits."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


popcount: Any = intrinsic(_popcount)  # Number of set bits.


@inlined
def lowest(word: Any) -> Any:
    """Return the index of the lowest set bit; at least one bit must be set."""
    return popcount(~word & (word - np.uint64(1)))


ZERO, ONE, TWO, THREE, FOUR = map(np.uint64, range(5))


class Bitboard(NamedTuple):
    """A ruleset's constants for compiled code, all uint64."""

    cells: Any

    bottom: Any
    """The lowest cell of every column."""

    top: Any
    """The highest cell of every column."""

    lower: Any
    """Cells with room for a line upwards."""

    follower: Any
    """Cells that fall to a player who answers every disc in the same column."""

    stride: Any
    """Distance in bits from a cell to its right neighbour."""

    connect: Any

    wide: Any
    """1 if a line fits in a row, else 0."""

    gather: Any
    """Factor that moves `bottom` bits together in the highest bits; 0 if not needed in keys."""

    pile: Any
    """The cells of the first column."""

    rows: Any


def board_of(rules: Ruleset) -> Bitboard:
    """Return the constants of rules that `fits` accepts."""
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
    """Return the next free cell of every column with room."""
    return (discs << ONE | board.bottom) & board.cells & ~discs


@inlined
def _fourths(own: Any, step: Any, three: Any, two: Any, one: Any, none: Any) -> Any:
    """Return cells that complete a line of four along `step`."""
    pair = (own << step) & (own << step + step)
    cells = pair & (own << step + step + step) & three
    cells |= pair & (own >> step) & two
    pair = (own >> step) & (own >> step + step)
    cells |= pair & (own << step) & one
    return cells | pair & (own >> step + step + step) & none


@inlined
def _lasts(own: Any, step: Any, rise: Any, board: Any) -> Any:
    """Return cells that complete any line along `step`, which goes `rise` (-1, 0, 1) rows up."""
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
    stride, lower = board.stride, board.lower
    cells = ZERO
    # skip steps too large for the board: they could shift by more than 63 bits
    if lower != ZERO:
        upright = lower << board.connect - ONE
        for distance in range(1, np.int64(board.connect)):
            upright &= own << np.uint64(distance)
        cells |= upright
    if board.wide != ZERO:
        for rise in range(-1, 2):
            if rise == 0 or lower != ZERO:
                cells |= _lasts(own, stride + np.uint64(rise), rise, board)
    return cells


@inlined
def threats(own: Any, discs: Any, board: Any) -> Any:
    """Return the empty cells where a disc would complete a line of `own`."""
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
    starts = own
    for distance in range(1, np.int64(connect)):
        starts &= own >> step * np.uint64(distance)
    return starts


@inlined
def _starts(own: Any, step: Any, connect: Any) -> Any:
    if connect == FOUR:
        pairs = own & own >> step
        return pairs & pairs >> step + step
    return _any_starts(own, step, connect)


@inlined
def has_line(own: Any, board: Any) -> Any:
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
