"""Returns True, which is a number to Python.
expect: ILLEGAL_MOVE, anyone
"""


def pick_move(rack):
    return True
