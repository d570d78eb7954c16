"""Is made of files that import themselves, and imports them afresh at every move.
expect: plays, anyone
"""

import importlib

import other


def pick_move(rack):
    for _ in range(50):
        importlib.reload(other)
    return [column[-1] for column in rack].index(0)
