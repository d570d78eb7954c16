"""Loops for ever while it is imported.
expect: TIMEOUT, anyone
"""

while True:
    pass


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
