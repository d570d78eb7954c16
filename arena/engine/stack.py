"""The stack of a search, and what it learns: flat arrays, so that it can stop and go on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.engine.board import LINE, Array
from arena.engine.jit import compiled, inlined

WON = 1_000_000
"""A line made now. One made at ply p of a search is worth WON - p to whoever makes it, so that a
value means the same wherever in the tree its position is met. Values are for the side to move."""

DECIDED = 500_000
"""Goal `most`: a full board is worth this, and the difference of lines, to whoever has more."""

MAX_STATIC = 400_000
"""No static evaluation is worth more: it is cut off here. What is above is certain."""

LINE_WORTH = 1_000
"""Goal `most`: what a complete line is worth before the board is full."""

INFINITY = 2 * WON


@inlined
def static(score: int, first: bool) -> int:
    """A sum of gains as a value."""
    if not first:
        made = (score + LINE // 2) // LINE
        score += made * (LINE_WORTH - LINE)
    return max(-MAX_STATIC, min(MAX_STATIC, score))


@inlined
def final(score: int, first: bool) -> int:
    """Return the value of a full board without a winner, or with the lines in `score`."""
    if first:
        return 0
    made = (score + LINE // 2) // LINE
    if made == 0:
        return 0
    return made + DECIDED if made > 0 else made - DECIDED


PLIES_OF_LINE = 64
"""So much of a principal variation is kept."""

DEPTH, ALPHA, BETA, LOW, BEST, BEST_COLUMN, INDEX, COUNT, SCORE, STEP, WIDTH = range(11)
"""Fields of a frame. LOW is the alpha it began with; SCORE its gains, for the side to move."""

CHOOSE, SHALLOW, NARROW, WHOLE = range(4)
"""STEP: how the move is searched. Not decided yet; in an empty window, and less deep; in an empty
window; in the whole window. If it is better than expected, it is searched again by a later step."""

NODES, PLY, STATE, SIDE, EMPTY, FIRST, BETTER, BETTER_VALUE, REGISTERS = range(9)
"""Registers. SIDE is to move at the root, which has EMPTY cells; FIRST is the column to try first;
BETTER a column that is known to be better than the best so far, though not yet by how much."""

DONE, PAUSED, SPENT = range(3)
"""STATE: finished; to be continued; the budget is spent."""


class Tree(NamedTuple):
    """The stack and what the search learns."""

    frames: Array
    """int64[plies * WIDTH]"""
    keys: Array
    """uint64[plies]: Zobrist key of each position on the stack."""
    moves: Array
    """int64[plies * columns]: columns to try."""
    ranks: Array
    """int64[columns]: room for what they are sorted by."""
    lines: Array
    """int64[(PLIES_OF_LINE + 1) ** 2]: principal variations of each ply, their length first."""
    history: Array
    """int64[2 * cells]: how often and how deep a disc there has cut."""
    table: Array
    """uint64[2 * slots]: key and entry, turn about; a power of two of slots."""
    registers: Array
    """int64[REGISTERS]"""


@compiled
def note(tree: Tree, ply: int, column: int) -> None:
    """Keep the line from here on: this column, then the line of the next ply."""
    if ply >= PLIES_OF_LINE:
        return
    here, there = ply * (PLIES_OF_LINE + 1), (ply + 1) * (PLIES_OF_LINE + 1)
    length = 0
    if ply + 1 < PLIES_OF_LINE:
        length = min(tree.lines[there], PLIES_OF_LINE - ply - 1)
    tree.lines[here] = length + 1
    tree.lines[here + 1] = column
    for i in range(length):
        tree.lines[here + 2 + i] = tree.lines[there + 1 + i]


@inlined
def decide(tree: Tree, ply: int, value: int, column: int) -> None:
    """Give a position its value, with no moves left to search."""
    base = ply * WIDTH
    tree.frames[base + BEST] = value
    tree.frames[base + BEST_COLUMN] = column
    tree.frames[base + COUNT] = 0
    if ply < PLIES_OF_LINE and column >= 0:
        tree.lines[ply * (PLIES_OF_LINE + 1)] = 1
        tree.lines[ply * (PLIES_OF_LINE + 1) + 1] = column


EXACT, AT_LEAST, AT_MOST = range(3)
"""What the value in the transposition table is to the true one."""


@inlined
def remember(tree: Tree, key: int, value: int, depth: int, kind: int, column: int) -> None:
    """Put a result into the table, over whatever is there."""
    slot = 2 * np.int64((key >> np.uint64(8)) & np.uint64(len(tree.table) // 2 - 1))
    entry = (value + INFINITY) << 24 | max(depth, 0) << 10 | kind << 8 | column
    tree.table[slot] = key | np.uint64(1)  # never zero, as an empty slot is
    tree.table[slot + 1] = np.uint64(entry)


@inlined
def recall(tree: Tree, key: int) -> Any:
    """Return the table's entry of a position, packed; -1 for none."""
    slot = 2 * np.int64((key >> np.uint64(8)) & np.uint64(len(tree.table) // 2 - 1))
    if tree.table[slot] != key | np.uint64(1):
        return -1
    return np.int64(tree.table[slot + 1])


@inlined
def cuts(entry: int, depth: int, alpha: int, beta: int) -> bool:
    """Return whether what is known decides a position searched to this depth in this window."""
    value, known, kind = (entry >> 24) - INFINITY, entry >> 10 & 16383, entry >> 8 & 3
    if known >= depth:
        if kind == EXACT:
            return True
        return value >= beta if kind == AT_LEAST else value <= alpha
    # a forced win is one at any depth, though there may be a shorter one
    if value > MAX_STATIC:
        return kind != AT_MOST and value >= beta
    return value < -MAX_STATIC and kind != AT_LEAST and value <= alpha
