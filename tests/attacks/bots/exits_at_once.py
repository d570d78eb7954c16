"""Ends its own process.
expect: CRASH, anyone
"""

import os


def pick_move(rack):
    os._exit(0)
