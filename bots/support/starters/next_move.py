"""My Connect Four bot."""

from hw07_1 import Player


class AIPlayer(Player):
    """Plays the free column nearest to the middle. Make it better!"""

    def __init__(self, checker, tiebreak, lookahead):
        super().__init__(checker)  # "X" or "O": which checkers are mine
        self.tiebreak = tiebreak  # "LEFT", "RIGHT" or "RANDOM"
        self.lookahead = lookahead  # moves to look ahead

    def next_move(self, board):
        """Return the column to play, counted from 0.

        board.slots[row][col] is "X", "O" or " "; row 0 is on top. It is mine to try moves on,
        with board.add_checker(checker, col) and board.remove_checker(col).
        """
        self.num_moves += 1
        middle = (board.width - 1) / 2
        free = [col for col in range(board.width) if board.can_add_to(col)]
        return min(free, key=lambda col: abs(col - middle))
