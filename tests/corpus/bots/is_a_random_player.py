"""Has a random player and no better one.
expect: plays as next_move RandomPlayer
"""

import random


class Player:
    def __init__(self, checker):
        self.checker = checker
        self.num_moves = 0

    def next_move(self, b):
        return int(input("Enter a column: "))


class RandomPlayer(Player):
    def next_move(self, b):
        self.num_moves += 1
        return random.choice([c for c in range(b.width) if b.can_add_to(c)])
