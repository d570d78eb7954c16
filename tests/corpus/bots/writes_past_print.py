"""Writes to the terminal by its number, and reads from it.
expect: plays
"""

import os
import sys


def pick_move(rack):
    os.write(1, b"thinking\n")
    os.write(2, b"still thinking\n")
    sys.stdout.flush()
    assert sys.stdin.read() == ""
    return [column[-1] for column in rack].index(0)
