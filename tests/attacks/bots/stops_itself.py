"""Stops its own process and waits for somebody to continue it.
expect: TIMEOUT, anyone
"""

import os
import signal


def pick_move(rack):
    os.kill(os.getpid(), signal.SIGSTOP)
    return [column[-1] for column in rack].index(0)
