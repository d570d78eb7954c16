"""Never looks whether there is room.
expect: ILLEGAL_MOVE returned column 0, which is full
rules: 2x7
"""


def pick_move(rack):
    return 0
