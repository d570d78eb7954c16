"""Weighs the cells: an agent of the course in Berlin.
expect: plays as pcp generate_move
"""
import numpy as np

from agents.game_utils import NO_PLAYER, BoardPiece, PlayerAction, SavedState


class Calls(SavedState):
    def __init__(self):
        self.number = 0


def generate_move(board: np.ndarray, player: BoardPiece, saved_state, weight: int = 1):
    assert board.dtype == BoardPiece and player in (1, 2)
    saved_state = saved_state or Calls()
    saved_state.number += 1
    score = 0
    for (row, column), piece in np.ndenumerate(board):
        if piece == player:
            score += 3 * row + 5 * column + weight
        elif piece != NO_PLAYER:
            score += 7 * row + 2 * column + 3
    free = np.flatnonzero(board[-1] == NO_PLAYER)
    assert saved_state.number <= (board != NO_PLAYER).sum() // 2 + 1
    return PlayerAction(free[score % len(free)]), saved_state
