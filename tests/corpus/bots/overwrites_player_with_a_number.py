"""By the end of the file its function's name stands for a number.
expect: plays as player player
rules: 8x8
"""


def player(board):
    return [int(cell) for cell in board[0]].index(0)


for player in (1, 2):
    print("player", player)
