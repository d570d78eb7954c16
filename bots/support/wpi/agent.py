"""Players of the WPI course: `Agent` and those that it hands out."""

import random


class Agent:
    def __init__(self, name):
        self.name = name
        self.player = 0  # set by the program that plays: 1 or 2

    def go(self, brd):
        raise NotImplementedError("Please implement this method")


class RandomAgent(Agent):
    def go(self, brd):
        return random.choice(brd.free_cols())


class InteractiveAgent(Agent):
    def go(self, brd):
        free = brd.free_cols()
        while True:
            column = int(input(f"Which column {free}? "))
            if column in free:
                return column
