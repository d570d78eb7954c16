"""Forks by C function and by system call number, past Python's own fork.
expect: plays
"""

import ctypes
import os
import signal


def pick_move(rack):
    libc = ctypes.CDLL(None, use_errno=True)
    clone3 = (ctypes.c_uint64 * 8)(0, 0, 0, 0, signal.SIGCHLD)
    for fork in (
        lambda: libc.fork(),
        lambda: libc.syscall(57),
        lambda: libc.syscall(56, int(signal.SIGCHLD), 0, 0, 0, 0),
        lambda: libc.syscall(435, clone3, 64),
    ):
        pid = fork()
        if pid == 0:
            os._exit(0)
        if pid > 0:
            return 77
    return [column[-1] for column in rack].index(0)
