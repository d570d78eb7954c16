import numpy as np


class Board:
    def __init__(self, width, height=None):
        if isinstance(width, Board):
            self.board_state = width.board_state.copy()
        elif isinstance(width, np.ndarray):
            self.board_state = width.copy()
        else:
            self.board_state = np.zeros((width, height), dtype=int)
        self.width, self.height = self.board_state.shape

    def play(self, col, player_id):
        for row in reversed(range(self.height)):
            if self.board_state[col, row] == 0:
                self.board_state[col, row] = player_id
                return True
        return False

    def is_valid(self, col):
        return self.board_state[col, 0] == 0

    def is_winning(self, player_id):
        return False
