"""Ends its own process.
expect: CRASH
"""

import os


def pick_move(rack):
    os._exit(0)
