"""Reads the referee's questions from a thread, so that its own host never sees them.
expect: TIMEOUT, anyone
"""

import os
import threading


def steal():
    while True:
        os.read(3, 8192)


def pick_move(rack):
    threading.Thread(target=steal, daemon=True).start()
    return [column[-1] for column in rack].index(0)
