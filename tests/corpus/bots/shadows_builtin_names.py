"""Has its own eval, max and sum.
expect: plays as player player
rules: 8x8
"""


def eval(board):
    return 0


def max(moves):
    return moves[-1]


sum = 3


def player(board):
    return max([c for c in range(8) if board[0][c] == 0]) + eval(board)
