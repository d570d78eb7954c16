"""Searches when its answer is made a column, after the move function has returned.
expect: NODES, anyone
"""


def search(depth):
    return depth and search(depth - 1) + search(depth - 1)


class Answer:
    def __init__(self, column):
        self.column = column

    def __index__(self):
        search(12)
        return self.column


def pick_move(rack):
    return Answer([column[-1] for column in rack].index(0))
