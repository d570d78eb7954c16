"""Weighs the cells: a player of a course in Davis.
expect: plays as ecs170a AIPlayer
"""
import numpy as np


class AIPlayer:
    def __init__(self, player_number):
        self.player_number = player_number
        self.type = 'ai'
        self.player_string = 'Player {}:ai'.format(player_number)

    def get_alpha_beta_move(self, board):
        assert board.dtype == np.uint8
        score = 0
        for row in range(6):
            for col in range(7):
                if board[row][col] == self.player_number:
                    score += 3 * (5 - row) + 5 * col + 1
                elif board[row][col] != 0:
                    score += 7 * (5 - row) + 2 * col + 3
        free = [col for col in range(board.shape[1]) if 0 in board[:, col]]
        return free[score % len(free)]

    def get_expectimax_move(self, board):
        raise NotImplementedError('Whoops I don\'t know what to do')


class RandomPlayer:
    def __init__(self, player_number):
        self.player_number = player_number

    def get_move(self, board):
        return np.random.choice([col for col in range(7) if 0 in board[:, col]])
