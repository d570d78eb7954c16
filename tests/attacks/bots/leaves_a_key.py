"""Leaves a key in the kernel's keyring for its friends.
expect: plays
"""

import ctypes


def pick_move(rack):
    libc = ctypes.CDLL(None)
    if libc.syscall(248, b"user", b"arena-attack-was-here", b"x", 1, -2) >= 0:
        return 77
    if libc.syscall(250, 0, -4, 1) >= 0:
        return 77
    return [column[-1] for column in rack].index(0)
