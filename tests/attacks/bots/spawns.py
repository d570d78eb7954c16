"""Starts a program with posix_spawn, which needs no fork of Python's.
expect: plays
"""

import os


def pick_move(rack):
    try:
        os.posix_spawn("/bin/true", ["true"], {})
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
