"""Checks what it is shown: an 8x8 array of integers in which it is always 2; answers in numpy.
expect: plays as player player
rules: 8x8
"""

import numpy as np


def player(board):
    assert isinstance(board, np.ndarray) and board.shape == (8, 8), board
    assert np.issubdtype(board.dtype, np.integer), board.dtype
    mine, theirs = (board == 2).sum(), (board == 1).sum()
    assert theirs - mine in (0, 1), board
    assert not board[0].any() or board[7].any(), "row 0 is the bottom"
    for column in board.T:
        discs = np.flatnonzero(column)
        assert list(discs) == list(range(8 - len(discs), 8)), board
    return np.flatnonzero(board[0] == 0)[0]
