"""Weighs the cells: an agent of the course in Singapore.
expect: plays as nus AIAgent
"""
from game_utils import get_valid_col_id, is_end, step


class AIAgent:
    def __init__(self, player_id=1):
        self.player_id = player_id

    def make_move(self, state):
        assert not state.flags.writeable
        rows = state.shape[0]
        score = 0
        for row in range(rows):
            for col in range(state.shape[1]):
                if state[row, col] == self.player_id:
                    score += 3 * (rows - 1 - row) + 5 * col + 1
                elif state[row, col] != 0:
                    score += 7 * (rows - 1 - row) + 2 * col + 3
        free = get_valid_col_id(state)
        step(state, free[0], self.player_id, in_place=False)
        return free[score % len(free)]
