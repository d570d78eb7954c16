"""Weighs the cells: a policy of a course in Colombia.
expect: plays as policy Weighing
"""
import json
import os

import numpy as np
from connect4.connect_state import ConnectState
from connect4.policy import Policy

VALUES = os.path.join(os.path.dirname(__file__), "values.json")


class Weighing(Policy):
    def mount(self, timeout=None):
        self.mounted = True

    def act(self, s: np.ndarray) -> int:
        assert self.mounted
        me = -1 if (s != 0).sum() % 2 == 0 else 1
        state = ConnectState(s, me)
        score = 0
        for (row, col), cell in np.ndenumerate(s):
            if cell == me:
                score += 3 * (5 - row) + 5 * col + 1
            elif cell == -me:
                score += 7 * (5 - row) + 2 * col + 3
        with open(VALUES, "w") as file:
            json.dump({str(s.tolist()): int(score)}, file)
        free = state.get_free_cols()
        return int(free[score % len(free)])
