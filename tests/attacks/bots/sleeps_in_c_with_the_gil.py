"""Sleeps in C without letting go of the interpreter's lock.
expect: TIMEOUT, anyone
"""

import ctypes


def pick_move(rack):
    return ctypes.PyDLL(None).sleep(3600)
