"""Writes garbage to every descriptor there is.
expect: PROTOCOL, anyone
"""

import os


def pick_move(rack):
    for fd in range(64):
        try:
            os.write(fd, b"garbage")
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
