"""Plays its move on the board that it is shown.
expect: plays as player player
rules: 8x8
"""

seen = []


def player(board):
    assert (board == 2).sum() == len(seen), board
    move = [int(cell) for cell in board[0]].index(0)
    row = max(r for r in range(8) if board[r][move] == 0)
    board[row][move] = 2
    seen.append(move)
    return move
