"""The seeds' random player: any column, drawn again while it has no room.

It has a folder of its own, as a file random.py beside other bots would hide Python's `random` from
them wherever they are run by hand.
"""

import random
from collections.abc import Sequence


def pick_move(rack: Sequence[Sequence[int]]) -> int:
    """A uniformly drawn column of `rack` (rack[c][r], r = 0 at the bottom) that is not full."""
    column = random.randrange(len(rack))
    while rack[column][-1]:
        column = random.randrange(len(rack))
    return column
