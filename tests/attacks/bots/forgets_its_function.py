"""Deletes the function that it was entered for.
expect: plays, anyone
"""


def pick_move(rack):
    return [column[-1] for column in rack].index(0)


del pick_move
