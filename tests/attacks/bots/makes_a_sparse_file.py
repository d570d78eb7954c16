"""Makes a file of a terabyte with nothing in it.
expect: plays
"""

import os


def pick_move(rack):
    try:
        with open("sparse", "wb") as file:
            os.truncate(file.fileno(), 1 << 40)
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
