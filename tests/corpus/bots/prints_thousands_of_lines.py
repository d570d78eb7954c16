"""Prints its whole search.
expect: plays
"""


def pick_move(rack):
    for node in range(3000):
        print("node", node, rack)
    return [column[-1] for column in rack].index(0)
