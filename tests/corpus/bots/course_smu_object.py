"""Weighs the cells: an agent of the course in Dallas that is an object.
expect: plays as smu-object mcts
"""
import numpy as np


class Weighing:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, board, player=1):
        rows = board.shape[0]
        score = 0
        for (row, col), cell in np.ndenumerate(board):
            up = rows - 1 - row
            score += (cell == player) * (3 * up + 5 * col + self.weight)
            score += (cell == -player) * (7 * up + 2 * col + 3)
        free = np.flatnonzero(board[0] == 0)
        return free[score % len(free)]


mcts = Weighing(1)
