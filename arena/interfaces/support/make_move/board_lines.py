"""All lines of cells of a board's array, for `app.winning` and the heuristics."""

import numpy as np


def board_lines(state):
    """Every column, row and diagonal of `state[col, row]`, one byte a cell, between zeros.

    The columns are laid end to end with a zero after each. Then a fixed step leads from each
    cell to its neighbour in one direction, and meets such a zero before it leaves the board.
    """
    width, height = np.shape(state)
    padded = np.zeros((width, height + 1), dtype=np.uint8)
    padded[:, :height] = state
    cells = padded.tobytes()
    for step in {1, height, height + 1, height + 2}:
        for start in range(step):
            yield cells[start::step]
