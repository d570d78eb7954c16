"""Forks as often as it can, up to thirty times.
expect: plays
"""

import os


def pick_move(rack):
    try:
        for _ in range(30):
            if os.fork() == 0:
                os._exit(0)
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
