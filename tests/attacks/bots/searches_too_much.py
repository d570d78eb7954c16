"""Searches more than its budget of nodes.
expect: NODES, anyone
"""


def search(depth):
    return depth and search(depth - 1) + search(depth - 1)


def pick_move(rack):
    return search(14)
