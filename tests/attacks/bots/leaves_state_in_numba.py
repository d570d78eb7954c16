"""Leaves marks and other code in numba and its cache, and looks for those of other bots.
expect: plays
"""

import os
import types

import numba
from numba.core import config, registry

MARK = f"left_by_{os.getpid()}"
PLACES = (numba, config, registry, registry.cpu_target)
CACHE = os.environ["NUMBA_CACHE_DIR"]

found = [name for place in PLACES for name in vars(place) if name.startswith("left_by_")]
found += [name for name in os.listdir(CACHE) if name != MARK] if os.path.isdir(CACHE) else []
for place in PLACES:
    setattr(place, MARK, True)
numba.njit = types.SimpleNamespace
os.makedirs(os.path.join(CACHE, MARK), exist_ok=True)


def pick_move(rack):
    if any(name != MARK for name in found):
        return 77
    return [column[-1] for column in rack].index(0)
