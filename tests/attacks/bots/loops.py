"""Loops for ever.
expect: TIMEOUT, anyone
"""


def pick_move(rack):
    while True:
        pass
