"""Searches by a function that it makes with exec, beside a small recursive one in its file.
expect: NODES, anyone
"""

made = {}
exec("def search(depth): return depth and search(depth - 1) + search(depth - 1)", made)


def decoy(depth):
    return depth and decoy(depth - 1)


def pick_move(rack):
    decoy(3)
    made["search"](12)
    return [column[-1] for column in rack].index(0)
