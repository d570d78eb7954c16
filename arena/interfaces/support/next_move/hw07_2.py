"""Part II of the `next_move` homework: the game, and a player that moves at random."""

import random

from board import Board
from hw07_1 import Player


def connect_four(player1, player2):
    """Play a game between an X player and an O player, X first; returns the final board."""
    if {player1.checker, player2.checker} != {"X", "O"}:
        print("need one X player and one O player.")
        return None
    first, second = (player1, player2) if player1.checker == "X" else (player2, player1)
    board = Board(6, 7)
    print(board)
    while not process_move(first, board):
        first, second = second, first
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
