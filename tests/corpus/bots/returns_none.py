"""Forgets to return its move.
expect: ILLEGAL_MOVE returned None, which is no column number
"""


def pick_move(rack):
    return None
