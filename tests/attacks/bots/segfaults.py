"""Reads from address zero.
expect: CRASH, anyone
"""

import ctypes


def pick_move(rack):
    return ctypes.string_at(0)
