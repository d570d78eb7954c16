"""Ends its process by SIGKILL, if any call lets it: who was killed from outside plays again.
expect: plays
"""

import contextlib
import ctypes
import os
import resource
import threading
import time

kernel = ctypes.CDLL(None, use_errno=True)
KILL, TKILL, TGKILL, SIGQUEUE, TGSIGQUEUE = 62, 200, 234, 129, 297
PIDFD_OPEN, PIDFD_SEND, SETRLIMIT, CLONE, PRCTL = 434, 424, 160, 56, 157
SET_PDEATHSIG, SET_SECCOMP, STRICT = 1, 22, 1
SIGKILL, F_SETFL, F_SETOWN, F_SETSIG, O_ASYNC = 9, 4, 8, 10, 0o20000


def by_limits():
    for which in (resource.RLIMIT_CPU, 15):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(which, (0, 0))
    kernel.syscall(SETRLIMIT, resource.RLIMIT_CPU, (ctypes.c_ulong * 2)(0, 0))
    until = time.process_time() + 0.02
    while time.process_time() < until:
        pass


def by_signals():
    me = os.getpid()
    about = (ctypes.c_int * 32)(SIGKILL, 0, -1)
    for call in (KILL, TKILL, SIGQUEUE):
        for target in (me, threading.get_native_id(), 0, -1, -me):
            kernel.syscall(call, target, SIGKILL, about)
    for call in (TGKILL, TGSIGQUEUE):
        kernel.syscall(call, me, me, SIGKILL, about)
    kernel.syscall(PIDFD_SEND, kernel.syscall(PIDFD_OPEN, me, 0), SIGKILL, None, 0)


def by_others():
    kernel.syscall(PRCTL, SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    kernel.syscall(PRCTL, SET_SECCOMP, STRICT, 0, 0, 0)
    kernel.syscall(CLONE, SIGKILL, 0, 0, 0, 0)  # the signal that a child's end would send
    one, other = os.pipe()
    for command, value in ((F_SETOWN, os.getpid()), (F_SETSIG, SIGKILL), (F_SETFL, O_ASYNC)):
        kernel.fcntl(one, command, value)
    os.write(other, b"x")
    os.close(one)
    os.close(other)


def pick_move(rack):
    by_limits()
    by_signals()
    by_others()
    return [column[-1] for column in rack].index(0)
