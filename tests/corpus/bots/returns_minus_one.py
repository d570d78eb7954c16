"""Returns -1 for no move.
expect: ILLEGAL_MOVE returned column -1; the board has columns 0 to 6
"""


def pick_move(rack):
    return -1
