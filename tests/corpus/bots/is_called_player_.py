"""Has an underscore behind its name, lest it be the course's.
expect: plays as player player_
rules: 8x8
"""


def player_(board):
    return [int(cell) for cell in board[0]].index(0)
