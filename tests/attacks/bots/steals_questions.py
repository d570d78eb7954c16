"""Reads the referee's questions from a thread, so that its own host never sees them.
expect: TIMEOUT, anyone
"""

import os
import threading
import time


def steal():
    while True:
        os.read(3, 8192)


def pick_move(rack):
    threading.Thread(target=steal, daemon=True).start()
    time.sleep(0.02)  # so it waits for the next question before the host does
    return [column[-1] for column in rack].index(0)
