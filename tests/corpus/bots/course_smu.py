"""Weighs the cells: an agent of the course in Dallas.
expect: plays as smu weighing_agent
"""
import numpy as np


def actions(board):
    return np.where(board[0] == 0)[0].tolist()


def weighing_agent(board, player=1):
    score = 0
    for row in range(board.shape[0]):
        for col in range(board.shape[1]):
            up = board.shape[0] - 1 - row
            if board[row, col] == player:
                score += 3 * up + 5 * col + 1
            elif board[row, col] == -player:
                score += 7 * up + 2 * col + 3
    free = actions(board)
    return free[score % len(free)]
