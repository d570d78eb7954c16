"""Spreads itself over all cores.
expect: plays
"""

import os


def pick_move(rack):
    try:
        os.sched_setaffinity(0, range(os.cpu_count()))
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
