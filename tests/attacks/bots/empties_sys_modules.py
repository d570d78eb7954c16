"""Removes every module from the table of modules, so that the host must import its own again.
expect: plays, CRASH, ERROR, LOAD_ERROR, anyone
"""

import sys


def pick_move(rack):
    sys.modules.clear()
    return [column[-1] for column in rack].index(0)
