"""The transposition table: what is known of positions that were met before."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.engine.jit import inlined
from arena.engine.stack import Tree
from arena.engine.values import INFINITY, MAX_STATIC

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
