"""My Connect Four bot."""

from players import PlayerController


class MinMaxPlayer(PlayerController):
    """Plays the column that the heuristic likes best. Make it look ahead!"""

    def __init__(self, player_id, game_n, depth, heuristic):
        super().__init__(player_id, game_n, heuristic)  # 1 or 2: whose discs are mine
        self.depth = depth  # discs to look ahead

    def make_move(self, board):
        """Return the column to play, counted from 0.

        board.get_value(col, row) is 0 (empty), 1 or 2; row 0 is on top.
        """
        best_col, best_value = None, None
        for col in range(board.width):
            if board.is_valid(col):
                child = board.get_new_board(col, self.player_id)
                value = self.heuristic.evaluate_board(self.player_id, child)
                if best_value is None or value > best_value:
                    best_col, best_value = col, value
        return best_col
