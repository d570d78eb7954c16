"""Deletes the function that counts its nodes.
expect: ERROR, anyone
"""


def search(depth):
    return depth and search(depth - 1)


def pick_move(rack):
    del globals()["__arena_node__"]
    return search(3)
