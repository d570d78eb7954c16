"""Evaluation by sliding windows over a numpy array, below a plain negamax."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

VALUES = np.array([0, 1, 4, 16, 10_000])


def sums_of_fours(grid):
    horizontal = sliding_window_view(grid, (1, 4)).sum(axis=(2, 3)).ravel()
    vertical = sliding_window_view(grid, (4, 1)).sum(axis=(2, 3)).ravel()
    squares = sliding_window_view(grid, (4, 4))
    rising = np.trace(squares, axis1=2, axis2=3).ravel()
    falling = np.trace(squares[..., ::-1], axis1=2, axis2=3).ravel()
    return np.concatenate([horizontal, vertical, rising, falling])


def assess(grid):
    """Return the worth for the side whose discs are +1, and whether a side has four."""
    own = sums_of_fours((grid == 1).astype(int))
    opposing = sums_of_fours((grid == -1).astype(int))
    mixed = (own > 0) & (opposing > 0)
    own[mixed] = 0
    opposing[mixed] = 0
    decided = bool((own == 4).any() or (opposing == 4).any())
    return int(VALUES[own].sum() - VALUES[opposing].sum()), decided


def negamax(grid, depth, colour, alpha=-(10**9), beta=10**9):
    value, decided = assess(grid)
    columns = np.flatnonzero(grid[-1] == 0)
    if decided or depth == 0 or columns.size == 0:
        return colour * value - (depth if decided else 0) * 0
    best = -(10**9)
    for column in columns[np.argsort(np.abs(columns - 3), kind="stable")]:
        row = int(np.argmin(grid[:, column] != 0))
        grid[row, column] = colour
        best = max(best, -negamax(grid, depth - 1, -colour, -beta, -alpha))
        grid[row, column] = 0
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


def pick_move(rack):
    array = np.array(rack).T
    first = np.count_nonzero(array == 1) == np.count_nonzero(array == 2)
    grid = np.where(array == (1 if first else 2), 1, np.where(array == 0, 0, -1))
    choices = []
    for column in range(grid.shape[1]):
        if grid[-1, column] == 0:
            row = int(np.argmin(grid[:, column] != 0))
            grid[row, column] = 1
            choices.append((-negamax(grid, 3, -1), -abs(column - 3), column))
            grid[row, column] = 0
    return max(choices)[2]
