"""My Connect Four bot."""

import numpy as np


def player(board):
    """Return the column to play, counted from 0.

    board[row][col] is 0 (empty), 1 (X, the opponent) or 2 (O, me); row 0 is on top. The board
    is mine to change: it is a copy. Plays the free column nearest to the middle. Make it better!
    """
    free = np.flatnonzero(board[0] == 0)
    middle = (board.shape[1] - 1) / 2
    return min(free, key=lambda col: abs(col - middle))
