"""Writes binary noise to standard error, in lines without an end.
expect: plays, anyone
"""

import sys


def pick_move(rack):
    for _ in range(100):
        sys.stderr.write("\x00\x1b[2J" * 10_000)
    return [column[-1] for column in rack].index(0)
