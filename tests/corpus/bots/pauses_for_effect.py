"""Sleeps a little, for effect.
expect: plays
"""

import time


def pick_move(rack):
    time.sleep(0.05)
    return [column[-1] for column in rack].index(0)
