"""Returns True, which is a number to Python.
expect: ILLEGAL_MOVE
"""


def pick_move(rack):
    return True
