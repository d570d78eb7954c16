"""Asks the kernel not to end it with its parent, and to let anybody trace it.
expect: plays
"""

import ctypes

PDEATHSIG, DUMPABLE, PTRACER, SUBREAPER = 1, 4, 0x59616D61, 36


def pick_move(rack):
    libc = ctypes.CDLL(None)
    everybody = ctypes.c_ulong(-1)
    for option, value in (
        (PDEATHSIG, ctypes.c_ulong(0)),
        (DUMPABLE, ctypes.c_ulong(1)),
        (PTRACER, everybody),
        (SUBREAPER, ctypes.c_ulong(1)),
    ):
        if libc.prctl(option, value, 0, 0, 0) == 0:
            return 77
    return [column[-1] for column in rack].index(0)
