"""The order of a contest's games: long ones first, so that all lanes end together.

A lane that begins a long game last keeps the others waiting for it. Twice as long is a step
earlier, and all that a lane plays several of in one go are of one step. Within a step slow games
stay in the order of the schedule, so that everybody has played a game of a slow bot soon, and is in
the standings. The order changes no game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from arena.contest.lanes import BATCH_SECONDS

Seconds = NDArray[np.float32]


def of_bots(names: Sequence[str], seconds: Mapping[str, float]) -> Seconds:
    """Return each bot's part of a game, in seconds; the median for one that is not known.

    It is half a second for all if none is known, so that a game counts for one.
    """
    usual = median(seconds.values()) if seconds else 0.5
    return np.array([seconds.get(name, usual) for name in names], np.float32)


def steps(seconds: Seconds) -> NDArray[np.int8]:
    """Return the step of each game that takes so long: those of a greater one are played first."""
    shares = np.maximum(seconds / BATCH_SECONDS, 1.0)
    found: NDArray[np.int8] = np.ceil(np.log2(shares)).astype(np.int8)
    return found


def longest_first(seconds: Seconds, then: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of games that take so long, in the order in which they are played.

    Those of a step are in the order of the numbers `then`.
    """
    return np.lexsort((then, -steps(seconds)))
