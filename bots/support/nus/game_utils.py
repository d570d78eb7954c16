"""Functions of the NUS course: the state is a numpy array, row 0 on top."""

import numpy as np

ROW_COUNT, COLUMN_COUNT = 6, 7


def initialize():
    return np.zeros((ROW_COUNT, COLUMN_COUNT), dtype=np.int64)


def is_valid_col_id(state, col_id):
    return 0 <= col_id < state.shape[1] and state[0, col_id] == 0


def get_valid_col_id(state):
    return np.flatnonzero(state[0] == 0)


def step(state, col_id, player_id, in_place=True):
    after = state if in_place else state.copy()
    if not is_valid_col_id(after, col_id):
        raise ValueError(f"column {col_id} is full or does not exist")
    row = np.flatnonzero(after[:, col_id] == 0).max()
    after[row, col_id] = player_id
    return after


def is_win(state, player_id):
    own = state == player_id
    across = own[:, :-3] & own[:, 1:-2] & own[:, 2:-1] & own[:, 3:]
    down = own[:-3] & own[1:-2] & own[2:-1] & own[3:]
    falling = own[:-3, :-3] & own[1:-2, 1:-2] & own[2:-1, 2:-1] & own[3:, 3:]
    rising = own[3:, :-3] & own[2:-1, 1:-2] & own[1:-2, 2:-1] & own[:-3, 3:]
    return bool(across.any() or down.any() or falling.any() or rising.any())


def is_end(state):
    return is_win(state, 1) or is_win(state, 2) or not (state[0] == 0).any()
