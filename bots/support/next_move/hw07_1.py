"""Part I of the `next_move` homework: a player that asks a person for every move."""

from board import Board  # noqa: F401  (for those who import everything from here)


class Player:
    """A person playing with one kind of checker."""

    def __init__(self, checker):
        """`checker` is 'X' or 'O'."""
        self.checker = checker
        self.num_moves = 0

    def __repr__(self):
        return f"Player {self.checker}"

    def opponent_checker(self):
        """The other player's checker."""
        return "O" if self.checker == "X" else "X"

    def next_move(self, board):
        """Ask for a column until it is one with room; counts the move."""
        self.num_moves += 1
        while True:
            column = int(input("Enter a column: "))
            if board.can_add_to(column):
                return column
            print("Try again!")
