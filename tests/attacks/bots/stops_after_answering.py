"""Stops its own process from a thread once it has answered.
expect: TIMEOUT, anyone
"""

import os
import signal
import threading
import time


def stop():
    time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGSTOP)


def pick_move(rack):
    threading.Thread(target=stop, daemon=True).start()
    return [column[-1] for column in rack].index(0)
