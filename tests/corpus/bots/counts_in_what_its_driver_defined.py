"""Counts its nodes in a global that only the course's driver defines.
expect: plays as player player
rules: 8x8
"""


def search(depth):
    global countNodes2
    countNodes2 += 1
    if depth:
        search(depth - 1)


def player(board):
    search(5)
    assert countNodes2 == 6, countNodes2
    return [int(cell) for cell in board[0]].index(0)
