"""Attaches to its parent as a debugger would.
expect: plays
"""

import ctypes
import os

PTRACE_SEIZE = 0x4206


def pick_move(rack):
    if ctypes.CDLL(None).syscall(101, PTRACE_SEIZE, os.getppid(), None, None) == 0:
        return 77
    return [column[-1] for column in rack].index(0)
