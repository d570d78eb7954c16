"""Names a function that is hardly called as the one whose calls are nodes.
expect: NODES, anyone
"""

NODE_FUNCTION = "decoy"


def decoy():
    return 1


def search(depth):
    return depth and search(depth - 1) + search(depth - 1)


def pick_move(rack):
    decoy()
    search(12)
    return [column[-1] for column in rack].index(0)
