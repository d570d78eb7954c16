"""The stack of a search, and what it learns: flat arrays, so that it can stop and go on."""

from __future__ import annotations

from typing import NamedTuple

from arena.engine.board import Array
from arena.engine.jit import compiled, inlined

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
