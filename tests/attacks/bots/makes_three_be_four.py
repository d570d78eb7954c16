"""Overwrites the interpreter's only 3 with a 4.
expect: plays, ERROR, CRASH, ILLEGAL_MOVE, PROTOCOL, TIMEOUT, LOAD_ERROR, anyone
"""

import ctypes


def pick_move(rack):
    move = [column[-1] for column in rack].index(0)
    ctypes.memmove(id(3) + 24, id(4) + 24, 4)
    return move
