"""Has two versions of its player under other names.
expect: plays as player player2
rules: 8x8
"""


def player1(board):
    return 99


def player2(board):
    return [int(cell) for cell in board[0]].index(0)
