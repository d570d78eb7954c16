"""Reads from address zero.
expect: CRASH
"""

import ctypes


def pick_move(rack):
    return ctypes.string_at(0)
