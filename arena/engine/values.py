"""The meaning of values. They are for the side to move.

A line made at ply `p` of a search is worth `WON - p`, so a value means the same wherever in the
tree its position is met.
"""

from __future__ import annotations

from arena.engine.board import LINE
from arena.engine.jit import inlined

WON = 1_000_000
"""A line made now. A forced win in n plies is worth WON - n to whoever makes it (n = 1: with the
next disc)."""

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
