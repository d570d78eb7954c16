"""Aborts its own process, to leave a core dump.
expect: CRASH, anyone
"""

import os


def pick_move(rack):
    os.abort()
