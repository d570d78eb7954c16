"""Leaves a process behind: forked twice, in a session of its own, for a few seconds.
expect: plays
"""

import os
import time


def pick_move(rack):
    try:
        child = os.fork()
    except OSError:
        return [column[-1] for column in rack].index(0)
    if child:
        return 77
    try:
        os.setsid()
        if os.fork() == 0:
            time.sleep(8)
    finally:
        os._exit(0)
