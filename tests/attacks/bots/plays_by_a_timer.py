"""Computes for a tenth of a second when a timer rings, whoever's turn it is by then.
expect: plays, anyone
"""

import threading
import time


def ponder():
    until = time.thread_time() + 0.1
    while time.thread_time() < until:
        pass


threading.Timer(0.01, ponder).start()


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
