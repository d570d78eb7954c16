"""Returns -1, the last column to Python and none to the referee.
expect: ILLEGAL_MOVE, anyone
"""


def pick_move(rack):
    return -1
