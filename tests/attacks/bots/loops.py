"""Loops for ever.
expect: TIMEOUT
"""


def pick_move(rack):
    while True:
        pass
