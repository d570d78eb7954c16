from enum import Enum

import numpy as np

BoardPiece = np.int8
NO_PLAYER = BoardPiece(0)
PLAYER1 = BoardPiece(1)
PLAYER2 = BoardPiece(2)
PlayerAction = np.int8


class SavedState:
    pass


def initialize_game_state():
    return np.full((6, 7), NO_PLAYER, dtype=BoardPiece)
