"""Takes 600 megabytes as a mapping that grows down, which the limit of data does not count.
expect: plays
"""

import ctypes
import mmap

MAP_GROWSDOWN = 0x100


def pick_move(rack):
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_long
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_GROWSDOWN
    if libc.mmap(None, ctypes.c_size_t(600 << 20), 3, flags, -1, ctypes.c_long(0)) != -1:
        return 77
    return [column[-1] for column in rack].index(0)
