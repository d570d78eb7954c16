"""The position of the policy course: -1 begins, 1 is second, row 0 on top."""

import numpy as np

from connect4.environment_state import EnvironmentState


class ConnectState(EnvironmentState):
    ROWS, COLS = 6, 7

    def __init__(self, board=None, player=-1):
        empty = np.zeros((self.ROWS, self.COLS), dtype=int)
        self.board = empty if board is None else np.array(board)
        self.player = player

    def get_winner(self):
        """The player with a line of four, or 0."""
        rows, cols = self.board.shape
        for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            for row in range(rows):
                for col in range(cols):
                    end = row + 3 * down, col + 3 * right
                    if 0 <= end[0] < rows and end[1] < cols:
                        four = sum(self.board[row + i * down, col + i * right] for i in range(4))
                        if abs(four) == 4:
                            return int(four) // 4
        return 0

    def is_final(self):
        return self.get_winner() != 0 or not self.get_free_cols()

    def is_col_free(self, col):
        return bool(self.board[0, col] == 0)

    def is_applicable(self, col):
        return 0 <= col < self.board.shape[1] and self.is_col_free(col) and not self.get_winner()

    def get_free_cols(self):
        return [col for col in range(self.board.shape[1]) if self.is_col_free(col)]

    def get_heights(self):
        return [int((self.board[:, col] != 0).sum()) for col in range(self.board.shape[1])]

    def transition(self, col):
        if not self.is_applicable(col):
            raise ValueError(f"column {col} cannot be played")
        after = self.board.copy()
        after[np.flatnonzero(after[:, col] == 0).max(), col] = self.player
        return ConnectState(after, -self.player)

    def show(self):
        print(self.board)
