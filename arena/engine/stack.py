"""A search's stack and memory, as flat arrays, so that the search can pause."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.engine.board import LINE, Array
from arena.engine.jit import compiled, inlined

# Value of a line made now. A line made at ply p is worth WON - p to its owner, so that
# transpositions keep their value. Values are for the side to move.
WON = 1_000_000
DECIDED = 500_000  # Goal `most`: a full board is worth this plus the difference of lines.
MAX_STATIC = 400_000  # Bound of static evaluations; values above are certain.
LINE_WORTH = 1_000  # Goal `most`: a complete line before the board is full.
INFINITY = 2 * WON


@inlined
def static(score: int, first: bool) -> int:
    """Return the value of a position, given the sum of its lines' gains."""
    if not first:
        made = (score + LINE // 2) // LINE
        score += made * (LINE_WORTH - LINE)
    return max(-MAX_STATIC, min(MAX_STATIC, score))


@inlined
def final(score: int, first: bool) -> int:
    if first:
        return 0
    made = (score + LINE // 2) // LINE
    if made == 0:
        return 0
    return made + DECIDED if made > 0 else made - DECIDED


PLIES_OF_LINE = 64  # Longest principal variation that is stored.

# Fields of a frame. LOW is its first alpha; SCORE the sum of lines' gains, for the side to move.
DEPTH, ALPHA, BETA, LOW, BEST, BEST_COLUMN, INDEX, COUNT, SCORE, STEP, WIDTH = range(11)

# STEP, how to search a move: undecided; null window, less deep; null window; whole window. A move
# that is better than expected is searched again with the next step.
CHOOSE, SHALLOW, NARROW, WHOLE = range(4)

# Registers. SIDE is to move at the root, which has EMPTY cells; FIRST is the column to try first;
# BETTER is a column that beats the best so far, by a yet unknown amount.
NODES, PLY, STATE, SIDE, EMPTY, FIRST, BETTER, BETTER_VALUE, REGISTERS = range(9)
DONE, PAUSED, SPENT = range(3)  # STATE: finished, to be continued, budget spent.


class Tree(NamedTuple):
    frames: Array
    """int64[plies * WIDTH]"""
    keys: Array
    """uint64[plies]: Zobrist keys."""
    moves: Array
    """int64[plies * columns]: columns to try."""
    ranks: Array
    """int64[columns]: scratch sort keys."""
    lines: Array
    """int64[(PLIES_OF_LINE + 1) ** 2]: by ply, the principal variation's length and moves."""
    history: Array
    """int64[2 * cells]: how often and how deep a disc there caused a cut."""
    table: Array
    """uint64[2 * slots]: key, entry, key, entry, …; slots is a power of two."""
    registers: Array
    """int64[REGISTERS]"""


@compiled
def note(tree: Tree, ply: int, column: int) -> None:
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
    base = ply * WIDTH
    tree.frames[base + BEST] = value
    tree.frames[base + BEST_COLUMN] = column
    tree.frames[base + COUNT] = 0
    if ply < PLIES_OF_LINE and column >= 0:
        tree.lines[ply * (PLIES_OF_LINE + 1)] = 1
        tree.lines[ply * (PLIES_OF_LINE + 1) + 1] = column


EXACT, AT_LEAST, AT_MOST = range(3)  # Relation of the true value to a table entry's.


@inlined
def remember(tree: Tree, key: int, value: int, depth: int, kind: int, column: int) -> None:
    slot = 2 * np.int64((key >> np.uint64(8)) & np.uint64(len(tree.table) // 2 - 1))
    entry = (value + INFINITY) << 24 | max(depth, 0) << 10 | kind << 8 | column
    tree.table[slot] = key | np.uint64(1)  # never 0, which marks an empty slot
    tree.table[slot + 1] = np.uint64(entry)


@inlined
def recall(tree: Tree, key: int) -> Any:
    """Return a position's packed table entry, or -1 if the table has none."""
    slot = 2 * np.int64((key >> np.uint64(8)) & np.uint64(len(tree.table) // 2 - 1))
    if tree.table[slot] != key | np.uint64(1):
        return -1
    return np.int64(tree.table[slot + 1])


@inlined
def cuts(entry: int, depth: int, alpha: int, beta: int) -> bool:
    """Return whether a table entry decides a search with this depth and window."""
    value, known, kind = (entry >> 24) - INFINITY, entry >> 10 & 16383, entry >> 8 & 3
    if known >= depth:
        if kind == EXACT:
            return True
        return value >= beta if kind == AT_LEAST else value <= alpha
    # a forced win holds at any depth, though there may be a shorter one
    if value > MAX_STATIC:
        return kind != AT_MOST and value >= beta
    return value < -MAX_STATIC and kind != AT_LEAST and value <= alpha
