from typing import Callable

import numpy as np

from agents.agent_weights import generate_move
from agents.game_utils import PLAYER1, PLAYER2, initialize_game_state


def user_move(board: np.ndarray, _player, saved_state):
    return int(input("Column? ")), saved_state


def human_vs_agent(generate_move_1: Callable, generate_move_2: Callable = user_move, player_1="You", player_2="Agent", args_1=(), args_2=(), init_1=lambda board, player: None, init_2=lambda board, player: None):
    board = initialize_game_state()
    print(generate_move_1(board, PLAYER1, None, *args_1), generate_move_2(board, PLAYER2, None))


if __name__ == "__main__":
    human_vs_agent(generate_move)
