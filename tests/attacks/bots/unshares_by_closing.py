"""Asks close_range for a table of descriptors of its own.
expect: plays
"""

import ctypes

CLOSE_RANGE, UNSHARE = 436, 2


def pick_move(rack):
    if ctypes.CDLL(None).syscall(CLOSE_RANGE, 90, 99, UNSHARE) == 0:
        return 77
    return [column[-1] for column in rack].index(0)
