"""Puts a function of its own in the place of the one that counts nodes.
expect: plays, anyone
"""


def search(depth):
    return depth and search(depth - 1) + search(depth - 1)


def pick_move(rack):
    globals()["__arena_node__"] = bool
    search(12)
    return [column[-1] for column in rack].index(0)
