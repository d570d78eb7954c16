"""Opens the contest's folder by its number in the file system, past every path.
expect: plays
"""

import ctypes
import os


def pick_move(rack):
    libc = ctypes.CDLL(None)
    own = os.path.dirname(__file__)
    contest = os.path.dirname(os.path.dirname(own)).encode()
    handle = (ctypes.c_uint32 * 40)(128)
    mount = ctypes.c_int()
    libc.name_to_handle_at(-100, contest, handle, ctypes.byref(mount), 0)
    try:
        beside = os.open(own, os.O_RDONLY)
    except OSError:
        return [column[-1] for column in rack].index(0)
    if libc.open_by_handle_at(beside, handle, os.O_RDONLY) >= 0:
        return 77
    return [column[-1] for column in rack].index(0)
