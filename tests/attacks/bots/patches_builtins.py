"""Patches type, so that every answer looks like an int.
expect: ERROR, ILLEGAL_MOVE, CRASH, anyone
"""

import builtins


def pick_move(rack):
    builtins.type = lambda thing: int
    return "77"
