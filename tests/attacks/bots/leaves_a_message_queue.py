"""Leaves a POSIX message queue for its friends.
expect: plays
"""

import ctypes
import os


def pick_move(rack):
    libc = ctypes.CDLL(None)
    if libc.mq_open(b"/arena-attack-was-here", os.O_RDWR | os.O_CREAT, 0o666, None) >= 0:
        libc.mq_unlink(b"/arena-attack-was-here")
        return 77
    return [column[-1] for column in rack].index(0)
