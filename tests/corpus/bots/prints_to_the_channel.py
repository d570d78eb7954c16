"""Writes to whatever number it has, the channel to its host among them.
expect: PROTOCOL wrote to the referee's channel itself
"""

import os


def pick_move(rack):
    for number in range(1, 10):
        try:
            os.write(number, b"my move is 3\n")
        except OSError:
            pass
    return [column[-1] for column in rack].index(0)
