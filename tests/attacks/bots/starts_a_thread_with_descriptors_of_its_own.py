"""Clones itself sharing memory but no descriptors, so that each thread has a table of them.
expect: plays
"""

import ctypes

CLONE, VM_SIGHAND_THREAD = 56, 0x10900


def pick_move(rack):
    libc = ctypes.CDLL(None, use_errno=True)
    # where it is let through, kernel and bot part company: no stack is given, so it is only tried
    # with a flag that no kernel takes together with these
    for flags in (VM_SIGHAND_THREAD | 0x10000000, 0x00000400 | 0x10000000):
        if libc.syscall(CLONE, flags, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
            return 77
    return [column[-1] for column in rack].index(0)
