"""Forgets to return anything.
expect: ILLEGAL_MOVE
"""


def pick_move(rack):
    [column[-1] for column in rack].index(0)
