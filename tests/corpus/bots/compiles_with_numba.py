"""Has its helper compiled, and the result cached.
expect: plays as make_move AlphaBetaPlayer
"""

from numba import njit


@njit(cache=True)
def first_free(state):
    for col in range(state.shape[0]):
        if state[col, 0] == 0:
            return col
    return -1


class AlphaBetaPlayer:
    def __init__(self, player_id, game_n, depth, heuristic):
        self.player_id = player_id

    def make_move(self, board):
        return first_free(board.get_board_state())
