"""Takes 600 megabytes with mappings made by hand: private, and shared without a file.
expect: plays
"""

import ctypes
import mmap


def pick_move(rack):
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_long
    for kind in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
        size, flags = ctypes.c_size_t(600 << 20), kind | mmap.MAP_ANONYMOUS
        if libc.mmap(None, size, 3, flags, -1, ctypes.c_long(0)) != -1:
            return 77
    return [column[-1] for column in rack].index(0)
