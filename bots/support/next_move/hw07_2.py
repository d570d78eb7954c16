"""Part II of the `next_move` homework: the game, and a player that moves at random."""

import random

from board import Board
from hw07_1 import Player


def connect_four(player1, player2):
    """Play a game between an X player and an O player, the first named first.

    Returns the board as it ended, or None if they are not an X and an O player.
    """
    if {player1.checker, player2.checker} != {"X", "O"}:
        print("need one X player and one O player.")
        return None
    player1.num_moves = player2.num_moves = 0
    board = Board(6, 7)
    print(board)
    mover, other = player1, player2
    while not process_move(mover, board):
        mover, other = other, mover
    return board


def process_move(player, board):
    """Have a player move, and say so; returns whether that was the end of the game."""
    print(f"{player}'s turn")
    board.add_checker(player.checker, player.next_move(board))
    print()
    print(board)
    if board.is_win_for(player.checker):
        print(f"{player} wins in {player.num_moves} moves.")
        print("Congratulations!")
        return True
    if board.is_full():
        print("It's a tie!")
        return True
    return False


class RandomPlayer(Player):
    """Plays in any column with room."""

    def next_move(self, board):
        """A column drawn at random; counts the move."""
        self.num_moves += 1
        return random.choice([col for col in range(board.width) if board.can_add_to(col)])
