"""Stops its own process from a thread once it has answered, again whenever it is continued.
expect: TIMEOUT, anyone
"""

import os
import signal
import threading
import time


def stop():
    while True:
        time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGSTOP)


def pick_move(rack):
    if threading.active_count() > 1:
        time.sleep(0.1)  # it has been continued, and stops before it can answer
    else:
        threading.Thread(target=stop, daemon=True).start()
    return [column[-1] for column in rack].index(0)
