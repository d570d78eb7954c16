"""Runs a command with os.system.
expect: plays
"""

import os


def pick_move(rack):
    if os.system("exit 0") == 0:
        return 77
    return [column[-1] for column in rack].index(0)
