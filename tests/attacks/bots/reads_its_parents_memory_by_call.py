"""Reads its parent's memory with process_vm_readv; a bad address means it was let.
expect: plays
"""

import ctypes
import errno
import os


def pick_move(rack):
    libc = ctypes.CDLL(None, use_errno=True)
    space = ctypes.create_string_buffer(8)
    mine = (ctypes.c_uint64 * 2)(ctypes.addressof(space), 8)
    theirs = (ctypes.c_uint64 * 2)(4096, 8)
    read = libc.syscall(310, os.getppid(), mine, 1, theirs, 1, 0)
    if read >= 0 or ctypes.get_errno() == errno.EFAULT:
        return 77
    return [column[-1] for column in rack].index(0)
