"""Searches more than its budget by generators, which return at once when they are called.
expect: NODES, anyone
"""


def search(depth):
    yield depth
    if depth:
        for _ in range(2):
            yield from search(depth - 1)


def pick_move(rack):
    sum(search(13))
    return [column[-1] for column in rack].index(0)
