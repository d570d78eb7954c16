"""Fills files that are deleted but open, which no listing shows.
expect: plays, LOAD_ERROR
"""

import os


def pick_move(rack):
    try:
        for _ in range(40):
            fd = os.open("deleted", os.O_WRONLY | os.O_CREAT)
            os.unlink("deleted")
            os.write(fd, bytes(1 << 20))
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
