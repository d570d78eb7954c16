"""Asks whether it could kill the processes that started it.
expect: plays
"""

import os


def pick_move(rack):
    parent = os.getppid()
    for kill in (
        lambda: os.kill(parent, 0),
        lambda: os.killpg(parent, 0),
        lambda: os.kill(-1, 0),
    ):
        try:
            kill()
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
