"""Divides, and returns a float.
expect: ILLEGAL_MOVE returned 3.0, which is no column number
"""


def pick_move(rack):
    return 6 / 2
