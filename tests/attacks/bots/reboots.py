"""Asks for a reboot with a wrong password, which only the permitted are told is wrong.
expect: plays
"""

import ctypes
import errno


def pick_move(rack):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(169, 0, 0, 0, None) == 0 or ctypes.get_errno() == errno.EINVAL:
        return 77
    return [column[-1] for column in rack].index(0)
