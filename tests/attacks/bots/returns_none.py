"""Forgets to return anything.
expect: ILLEGAL_MOVE, anyone
"""


def pick_move(rack):
    [column[-1] for column in rack].index(0)
