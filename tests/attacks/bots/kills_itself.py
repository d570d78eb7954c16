"""Kills its own process, as if somebody else had.
expect: ERROR
"""

import os
import signal


def pick_move(rack):
    os.kill(os.getpid(), signal.SIGKILL)
