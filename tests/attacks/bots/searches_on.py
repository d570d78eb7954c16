"""Searches more than its budget and catches whatever is raised to stop it.
expect: NODES, anyone
"""


def search(depth):
    try:
        return depth and search(depth - 1) + search(depth - 1)
    except BaseException:
        return 0


def pick_move(rack):
    search(12)
    return [column[-1] for column in rack].index(0)
