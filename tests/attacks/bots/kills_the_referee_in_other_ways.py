"""Signals its parent with every system call that can, with signals that do nothing.
expect: plays
"""

import ctypes
import os
import signal


def pick_move(rack):
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getppid()
    info = (ctypes.c_int * 32)(signal.SIGURG, 0, -1)
    pidfd = libc.syscall(434, parent, 0)
    for result in (
        libc.syscall(62, parent, 0),
        libc.syscall(200, parent, 0),
        libc.syscall(234, parent, parent, 0),
        libc.syscall(129, parent, int(signal.SIGURG), info),
        libc.syscall(297, parent, parent, int(signal.SIGURG), info),
        libc.syscall(424, pidfd, 0, None, 0),
        pidfd,
    ):
        if result >= 0:
            return 77
    return [column[-1] for column in rack].index(0)
