"""Nests two thousand folders, deeper than a path can be long.
expect: plays
"""

import os
from contextlib import suppress

here = os.getcwd()
with suppress(OSError):
    for _ in range(2000):
        os.mkdir("deeper")
        os.chdir("deeper")
os.chdir(here)


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
