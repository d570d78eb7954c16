"""The game of the BITS course: rows of 0, 1 and 2, row 0 on top."""

import copy
import random


class FourConnect:
    def __init__(self):
        self._numRows, self._numCols = 6, 7
        self._currentState = [[0] * self._numCols for _ in range(self._numRows)]
        self.winner = None

    def SetCurrentState(self, currentState):
        self._currentState = copy.deepcopy(currentState)
        self._numRows, self._numCols = len(currentState), len(currentState[0])
        self.winner = self._Winner()

    def GetCurrentState(self):
        return copy.deepcopy(self._currentState)

    def _CoinRowAfterAction(self, action):
        free = [r for r in range(self._numRows) if self._currentState[r][action] == 0]
        return max(free, default=-1)

    def _TakeAction(self, action, player):
        row = self._CoinRowAfterAction(action)
        assert row >= 0, "this column is full"
        self._currentState[row][action] = player
        self.winner = self._Winner()

    def _Winner(self):
        cells = self._currentState
        for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            for row in range(self._numRows):
                for col in range(self._numCols):
                    end = row + 3 * down, col + 3 * right
                    if 0 <= end[0] < self._numRows and end[1] < self._numCols:
                        four = {cells[row + i * down][col + i * right] for i in range(4)}
                        if len(four) == 1 and four != {0}:
                            return four.pop()
        return None

    def MyopicPlayerAction(self):
        """Player 1 wins if it can, prevents a win if it must, and else plays at random."""
        free = [c for c in range(self._numCols) if self._CoinRowAfterAction(c) >= 0]
        for player in (1, 2):
            for column in free:
                game = FourConnect()
                game.SetCurrentState(self._currentState)
                game._TakeAction(column, player)
                if game.winner == player:
                    self._TakeAction(column, 1)
                    return
        self._TakeAction(random.choice(free), 1)

    def GameTreePlayerAction(self, action):
        self._TakeAction(action, 2)

    def PrintGameState(self, state=None):
        for row in state or self._currentState:
            print(*row)
