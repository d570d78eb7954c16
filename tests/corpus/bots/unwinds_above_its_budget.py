"""Stops at ten thousand by its own counter, and is called some more times while it returns.
expect: plays as player player
rules: 8x8
"""

countNodes = 0


def minimax(board, depth):
    global countNodes
    countNodes += 1
    if countNodes >= 10000 or depth == 0:
        return 0
    return max(minimax(board, depth - 1) for move in range(8))


def player(board):
    minimax(board, 6)
    assert countNodes > 10000
    return [int(cell) for cell in board[0]].index(0)
