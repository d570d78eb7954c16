"""The game of the later UC Davis course, without its window."""

import copy
import random

import numpy as np


class connect4Player:
    """A player: 1 begins, 2 is second."""

    def __init__(self, position, seed=0):
        self.position = position
        self.opponent = None
        self.seed = seed
        random.seed(seed)

    def play(self, env, move):
        move[:] = [-1]


class Env:
    """The position: `board` has row 0 on top."""

    def __init__(self, board, turn):
        self.board = np.array(board, dtype=np.int32)
        self.shape = self.board.shape
        free = (self.board == 0).sum(axis=0) - 1
        self.topPosition = free.astype(np.int32)  # the lowest free row, -1 for a full column
        self.player1, self.player2 = connect4Player(1), connect4Player(2)
        self.player1.opponent, self.player2.opponent = self.player2, self.player1
        self.turnPlayer = self.player1 if turn == 1 else self.player2
        self.history = [self._columns(1), self._columns(2)]
        self.visualize = self.verbose = False

    def _columns(self, player):
        """Columns with a player's discs; the order in which they were played is not known."""
        return [int(column) for _, column in zip(*np.nonzero(self.board == player), strict=True)]

    def gameOver(self, j, player):
        """Whether the top disc of column j completes a line of `player`, or the board is full."""
        row = self.topPosition[j] + 1
        for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            length = 1
            for sign in (1, -1):
                r, c = row + sign * down, j + sign * right
                while self._is_of(r, c, player):
                    length += 1
                    r, c = r + sign * down, c + sign * right
            if length >= 4:
                return True
        return len(self.history[0]) + len(self.history[1]) == self.board.size

    def _is_of(self, row, column, player):
        rows, columns = self.shape
        return 0 <= row < rows and 0 <= column < columns and self.board[row, column] == player

    def getBoard(self):
        return copy.deepcopy(self.board)

    def getEnv(self):
        return copy.deepcopy(self)

    def randMove(self):
        return int(random.choice(np.flatnonzero(self.topPosition >= 0)))
