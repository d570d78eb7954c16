import numpy as np


class Board:
    def __init__(self, width, height):
        assert width % 2 == 1, "the width must be odd"
        self.width, self.height = width, height
        self.state = np.zeros((width, height), dtype=int)

    def play(self, col, playerID):
        row = max(r for r in range(self.height) if self.state[col, r] == 0)
        self.state[col, row] = playerID
        return True

    def isValid(self, col):
        return self.state[col, 0] == 0
