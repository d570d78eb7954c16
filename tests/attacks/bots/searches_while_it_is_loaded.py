"""Searches while it is imported, where no node is counted.
expect: plays, anyone
"""


def search(depth):
    return depth and search(depth - 1) + search(depth - 1)


search(16)


def pick_move(rack):
    search(3)
    return [column[-1] for column in rack].index(0)
