"""The game of the `make_move` course: n in a row between two players."""

import numpy as np
from board_lines import board_lines


def start_game(game_n, board, players):
    """Play a game to its end, and print how it ended and what the players evaluated."""
    turn = 0
    while winning(board.get_board_state(), game_n) == 0:
        player = players[turn % 2]
        if board.play(player.make_move(board), player.player_id):
            turn += 1
    print(board)
    winner = winning(board.get_board_state(), game_n)
    print("The game is a draw!" if winner < 0 else f"Player {players[winner - 1]} won!")
    for player in players:
        print(f"Player {player} evaluated a board {player.get_eval_count()} times.")


def get_players(game_n):
    """Two persons, each with advice."""
    from heuristics import SimpleHeuristic
    from players import HumanPlayer

    return [HumanPlayer(player_id, game_n, SimpleHeuristic(game_n)) for player_id in (1, 2)]


def winning(state, game_n):
    """Who has `game_n` in a row on `state[col, row]`: 1 or 2; -1 for a draw, else 0."""
    runs = [bytes([player_id]) * game_n for player_id in (1, 2)]
    for line in board_lines(state):
        for player_id, run in enumerate(runs, 1):
            if run in line:
                return player_id
    return -1 if np.all(np.asarray(state)[:, 0]) else 0


def main():
    """Seven columns, six rows, four in a row."""
    from board import Board

    start_game(4, Board(7, 6), get_players(4))


if __name__ == "__main__":
    main()
