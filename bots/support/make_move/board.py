"""The board of the `make_move` course. Columns and rows count from 0, row 0 at the top."""

import numpy as np
from either_spelling import EitherSpelling

DISCS = " XO"


class Board(EitherSpelling):
    """A board of any size; `board_state[col, row]` is 0 (empty), 1 or 2."""

    def __init__(self, *args):
        """`Board(width, height)` is empty, `Board(board)` and `Board(array)` are copies.

        Raises TypeError for anything else.
        """
        if len(args) == 2:
            self.board_state = np.zeros(args, dtype=int)
        elif len(args) == 1:
            given = args[0]
            state = given.get_board_state() if hasattr(given, "get_board_state") else given
            self.board_state = np.array(state, dtype=int)
        else:
            raise TypeError("a Board is made from a width and a height, a board, or an array")
        self.width, self.height = self.board_state.shape

    def get_value(self, col, row):
        """What a cell holds."""
        return self.board_state[col, row]

    def get_board_state(self):
        """A copy of the array."""
        return self.board_state.copy()

    def is_valid(self, col):
        """Whether the column has room."""
        return self.board_state[col, 0] == 0

    def play(self, col, player_id):
        """Drop a disc; returns whether there was room."""
        column = self.board_state[col]
        empty = self.height - np.count_nonzero(column)
        if empty:
            column[empty - 1] = player_id
        return bool(empty)

    def get_new_board(self, col, player_id):
        """This board after a disc, as a new one; unchanged if the column is full."""
        board = Board(self)
        board.play(col, player_id)
        return board

    def __str__(self):
        """The rows from the top, and under them the columns, counted from 1."""
        edge = " --- " * self.width
        lines = []
        for row in self.board_state.T:
            lines += [edge, "|" + "".join(f" {DISCS[disc]} |" for disc in row)]
        lines.append(edge.replace("-", "="))
        lines.append("|" + "".join(f"{col + 1:^3}|" for col in range(self.width)))
        return "\n".join(lines)
