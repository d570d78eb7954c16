"""Prints as much as it can in a move.
expect: plays, anyone
"""


def pick_move(rack):
    for _ in range(1000):
        print("x" * 10_000)
    return [column[-1] for column in rack].index(0)
