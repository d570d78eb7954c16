"""Closes standard input, output and error, and prints all the same.
expect: plays, CRASH, anyone
"""

import os


def pick_move(rack):
    for fd in (0, 1, 2):
        try:
            os.close(fd)
        except OSError:
            continue
    print("is anybody there?", flush=True)
    return [column[-1] for column in rack].index(0)
