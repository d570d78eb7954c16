"""Copies its parent's open files to itself, by pidfd_getfd and through /proc.
expect: plays
"""

import ctypes
import os


def pick_move(rack):
    libc = ctypes.CDLL(None)
    parent = os.getppid()
    pidfd = libc.syscall(434, parent, 0)
    for fd in range(32):
        if libc.syscall(438, pidfd, fd, 0) >= 0:
            return 77
        try:
            os.open(f"/proc/{parent}/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK)
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
