"""Computes in a thread all the time, and has itself continued whenever it is stopped.
expect: plays, TIMEOUT
"""

import contextlib
import ctypes
import os
import signal
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0)  # struct sigevent: SIGEV_SIGNAL
timer = ctypes.c_void_p()
got_a_timer = libc.timer_create(time.CLOCK_MONOTONIC, event, ctypes.byref(timer)) == 0
if got_a_timer:
    every_millisecond = (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000)
    libc.timer_settime(timer, 0, every_millisecond, None)


def ponder():
    while True:
        with contextlib.suppress(PermissionError):
            os.kill(os.getpid(), signal.SIGCONT)


threading.Thread(target=ponder, daemon=True).start()


def pick_move(rack):
    return 77 if got_a_timer else [column[-1] for column in rack].index(0)
