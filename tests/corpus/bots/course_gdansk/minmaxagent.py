"""Weighs the cells: an agent of the course in Gdansk.
expect: plays as gdansk MinMaxAgent
"""
from exceptions import AgentException


class MinMaxAgent:
    def __init__(self, my_token='o'):
        self.my_token = my_token

    def decide(self, connect4):
        if connect4.who_moves != self.my_token:
            raise AgentException('not my round')
        score = 0
        for row in range(connect4.height):
            for col in range(connect4.width):
                up = connect4.height - 1 - row
                if connect4.board[row][col] == self.my_token:
                    score += 3 * up + 5 * col + 1
                elif connect4.board[row][col] != '_':
                    score += 7 * up + 2 * col + 3
        free = connect4.possible_drops()
        connect4.drop_token(free[0])  # it is a copy
        return free[score % len(free)]
