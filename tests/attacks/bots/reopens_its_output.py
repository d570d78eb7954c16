"""Opens its output again through /proc, and locks and seals it against the referee.
expect: plays
"""

import fcntl
import os


def pick_move(rack):
    for path in ("/proc/self/fd/1", "/dev/fd/1", "/dev/stdout"):
        try:
            with open(path, "r+b") as output:
                fcntl.lockf(output, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
    try:
        fcntl.fcntl(1, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_WRITE)
    except OSError:
        os.lseek(1, 0, os.SEEK_SET)
    return [column[-1] for column in rack].index(0)
