"""Locks a file of the system's for a moment.
expect: plays
"""

import fcntl
import os


def pick_move(rack):
    try:
        with open(os.__file__) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(file, fcntl.LOCK_UN)
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
