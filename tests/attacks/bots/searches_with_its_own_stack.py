"""Searches in a loop with a list for a stack, beside a small recursive function.
expect: plays, anyone
"""


def decoy(depth):
    return depth and decoy(depth - 1)


def pick_move(rack):
    stack = [12]
    while stack:
        depth = stack.pop()
        stack += [depth - 1] * 2 if depth else []
    decoy(3)
    return [column[-1] for column in rack].index(0)
