"""Opens files until it gets no more, at most two thousand.
expect: plays
"""

import os


def pick_move(rack):
    opened = []
    try:
        while len(opened) < 2000:
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        for fd in opened:
            os.close(fd)
        return [column[-1] for column in rack].index(0)
    return 77
