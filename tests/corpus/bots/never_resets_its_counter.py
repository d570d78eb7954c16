"""Counts its nodes and leaves it to the course's driver to reset the counter.
expect: plays as player player
rules: 8x8
"""

countNodes = 0


def search(depth):
    global countNodes
    countNodes += 1
    if depth:
        search(depth - 1)


def player(board):
    assert countNodes == 0, countNodes
    search(5)
    return [int(cell) for cell in board[0]].index(0)
