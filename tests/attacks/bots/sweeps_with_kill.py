"""Tries kill on three thousand process ids.
expect: plays
"""

import os


def pick_move(rack):
    for pid in range(1, 3_000):
        try:
            os.kill(pid, 0)
        except OSError:
            continue
        if pid != os.getpid():
            return 77
    return [column[-1] for column in rack].index(0)
