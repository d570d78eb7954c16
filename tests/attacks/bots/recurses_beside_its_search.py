"""Calls a small recursive function first, to have that taken for its search.
expect: NODES, anyone
"""


def decoy(depth):
    return depth and decoy(depth - 1)


def search(depth):
    return depth and search(depth - 1) + search(depth - 1)


def pick_move(rack):
    decoy(3)
    search(12)
    return [column[-1] for column in rack].index(0)
