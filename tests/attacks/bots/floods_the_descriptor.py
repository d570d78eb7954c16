"""Writes fifty megabytes to its output's descriptor, past every stream.
expect: plays, anyone
"""

import os


def pick_move(rack):
    try:
        for _ in range(50):
            os.write(1, bytes(1 << 20))
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
