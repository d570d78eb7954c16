"""Makes memory read-only as soon as it has filled it, when the kernel no longer counts it.
expect: MEMORY, TIMEOUT
"""

import ctypes
import time

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
SIZE = 50 << 20


def pick_move(rack):
    for _ in range(10):
        at = ctypes.c_void_p(libc.mmap(None, SIZE, 3, 0x22, -1, 0))
        ctypes.memset(at, 1, SIZE)
        libc.mprotect(at, ctypes.c_size_t(SIZE), 1)
    time.sleep(9)
    return 77
