"""Moves into namespaces of its own, where it would be root.
expect: plays
"""

import ctypes
import os

NEW_USER, NEW_MOUNT, NEW_NETWORK = 0x10000000, 0x20000, 0x40000000


def pick_move(rack):
    libc = ctypes.CDLL(None)
    if not all(libc.unshare(flag) for flag in (NEW_USER, NEW_MOUNT, NEW_NETWORK)):
        return 77
    try:
        fd = os.open("/proc/self/ns/net", os.O_RDONLY)
    except OSError:
        return [column[-1] for column in rack].index(0)
    if libc.setns(fd, 0) == 0:
        return 77
    return [column[-1] for column in rack].index(0)
