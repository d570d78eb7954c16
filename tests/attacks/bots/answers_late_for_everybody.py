"""Spins in threads that never let go of the interpreter for long, while it plays quickly.
expect: plays, TIMEOUT, anyone
"""

import sys
import threading
import time


def spin():
    while time.thread_time() < 0.15:  # a few moves, so that its games do not take a minute
        sum(range(1000))


sys.setswitchinterval(0.05)
for _ in range(4):
    threading.Thread(target=spin, daemon=True).start()


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
