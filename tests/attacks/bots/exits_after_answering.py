"""Ends its own process from a thread a moment after it has answered.
expect: CRASH, anyone
"""

import os
import threading
import time


def leave():
    time.sleep(0.001)
    os._exit(0)


def pick_move(rack):
    threading.Thread(target=leave, daemon=True).start()
    return [column[-1] for column in rack].index(0)
