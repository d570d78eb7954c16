"""Weighs the cells: a player of a later course in Davis.
expect: plays as ecs170b weighingAI
"""
import copy

from connect4 import connect4Player


class human2(connect4Player):
    def play(self, env, move):
        move[:] = [int(input("next move: "))]


class weighingAI(connect4Player):
    def play(self, env, move):
        assert self.position == env.turnPlayer.position
        env = copy.deepcopy(env)
        score = 0
        for row in range(env.shape[0]):
            for col in range(env.shape[1]):
                if env.board[row][col] == self.position:
                    score += 3 * (5 - row) + 5 * col + 1
                elif env.board[row][col] != 0:
                    score += 7 * (5 - row) + 2 * col + 3
        free = [col for col, top in enumerate(env.topPosition) if top >= 0]
        move[:] = [free[score % len(free)]]
