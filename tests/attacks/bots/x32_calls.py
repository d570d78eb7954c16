"""Makes a system call by its number in the x32 interface.
expect: CRASH, anyone
"""

import ctypes


def pick_move(rack):
    if ctypes.CDLL(None).syscall(0x40000000 + 39) > 0:
        return 77
    return [column[-1] for column in rack].index(0)
