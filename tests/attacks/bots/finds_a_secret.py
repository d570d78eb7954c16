"""Looks for the secrets of whoever started the contest, in every copy of its environment.
expect: plays
"""

import ctypes
import os
from itertools import count, takewhile


def pick_move(rack):
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    known = list(takewhile(bool, map(environ.__getitem__, count()))) if environ else []
    try:
        with open("/proc/self/environ", "rb") as file:
            known.append(file.read())
    except OSError:
        known.append(b"")
    if "ARENA_TEST_SECRET" in os.environ or b"ARENA_TEST_SECRET" in b"".join(known):
        return 77
    return [column[-1] for column in rack].index(0)
