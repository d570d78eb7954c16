"""Has the kernel tell it of everything that happens in the contest's folder.
expect: plays
"""

import ctypes
import os

MODIFY = 2


def pick_move(rack):
    libc = ctypes.CDLL(None)
    contest = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    for fd in (libc.inotify_init1(0), libc.fanotify_init(0, 0)):
        if libc.inotify_add_watch(fd, contest.encode(), MODIFY) >= 0:
            return 77
    return [column[-1] for column in rack].index(0)
