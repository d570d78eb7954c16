"""Ends its own process while it is imported.
expect: CRASH, anyone
"""

import os

os._exit(0)


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
