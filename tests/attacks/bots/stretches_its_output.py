"""Makes the file of its output a terabyte long, with a hole in it.
expect: plays, anyone
"""

import os


def pick_move(rack):
    try:
        os.ftruncate(1, 1 << 40)
        return 77
    except OSError:
        pass
    try:
        os.lseek(1, 1 << 40, os.SEEK_SET)
        os.write(1, b"x")
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
