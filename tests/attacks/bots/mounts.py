"""Mounts a file system that does not exist, swaps to nowhere, pivots to nowhere.
expect: plays
"""

import ctypes
import errno

REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS)


def pick_move(rack):
    libc = ctypes.CDLL(None, use_errno=True)
    nowhere = b"/arena-attack-was-nowhere"
    for attempt in (
        lambda: libc.mount(b"none", b"/tmp", b"arena-attack", 0, None),
        lambda: libc.swapon(nowhere, 0),
        lambda: libc.syscall(155, nowhere, nowhere),
        lambda: libc.syscall(430, b"arena-attack", 0),
    ):
        if attempt() != -1 or ctypes.get_errno() not in REFUSED:
            return 77
    return [column[-1] for column in rack].index(0)
