"""What the first cells of the CS 4100 homework define, for a `player(board)` that builds on it.

Written from the course's description (seed 000). The course's board is 8×8; here the functions
that get a board take its size from it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.random import randint

__all__ = [
    "ERROR",
    "N",
    "O",
    "X",
    "blank",
    "dropPiece",
    "getEmptyBoard",
    "illegalMove",
    "isError",
    "noRoomInColumn",
    "np",
    "printBoard",
    "randint",
    "symbol",
    "sys",
]

N = 8
blank = 0
X = 1
O = 2  # noqa: E741 - the course's own name
symbol = [" ", "X", "O"]
ERROR = -1


def getEmptyBoard() -> Any:
    """An empty board: `board[row][col]`, row 0 on top."""
    return np.zeros((N, N)).astype(int)


def isError(B: Any) -> bool:
    """Whether a function returned ERROR instead of a board."""
    return type(B) is int and B == ERROR


def illegalMove(m: int) -> bool:
    """Whether there is no such column on the course's board."""
    return not 0 <= m < N


def noRoomInColumn(move: int, board: Any) -> bool:
    """Whether a column is full."""
    return bool(board[0][move] != blank)


def dropPiece(player: int, move: int, board: Any) -> Any:
    """Make a move on this very board and return it, or ERROR if the move is illegal."""
    if not 0 <= move < len(board[0]) or noRoomInColumn(move, board):
        return ERROR
    row = max(r for r in range(len(board)) if board[r][move] == blank)
    board[row][move] = player
    return board


def printBoard(B: Any, ind: int = 0) -> None:
    """Print a board, or that it is ERROR, `ind` tabs to the right."""
    indent = "\t" * ind
    if isError(B):
        print(indent, "ERROR: Overflow in column.")
        return
    columns = len(B[0])
    edge = "-" * (2 * columns + 3)
    print(indent, "  " + " ".join(map(str, range(columns))))
    print(indent, edge)
    for row in B:
        print(indent, "| " + " ".join(symbol[disc] for disc in row) + " |")
    print(indent, edge)
