"""Minimax, and the same with alpha-beta pruning: the homework of the `make_move` course in full.

Both players look `depth` discs ahead and let the course's heuristic judge the boards there and
where the game is over before. They play the same moves; what pruning saves is evaluations.
"""

from math import inf

from players import PlayerController


def columns(board):
    """The columns with room, those nearest the centre first: there the best moves are."""
    valid = [col for col in range(board.width) if board.is_valid(col)]
    return sorted(valid, key=lambda col: abs(2 * col - board.width + 1))


class MinMaxPlayer(PlayerController):
    """Looks at every board that can come up within `depth` discs."""

    def __init__(self, player_id, game_n, depth, heuristic):
        """`player_id` is 1 or 2, `game_n` in a row win, `depth` is at least 1."""
        super().__init__(player_id, game_n, heuristic)
        self.depth = depth

    def make_move(self, board):
        """The column worth most; of several the one nearest the centre."""

        def worth(col):
            child = board.get_new_board(col, self.player_id)
            return self.minmax(child, 3 - self.player_id, self.depth - 1)

        return max(columns(board), key=worth)

    def minmax(self, board, to_move, depth):
        """What the board is worth to this player if both play their best for `depth` discs."""
        value = self.final_value(board, depth)
        if value is not None:
            return value
        children = [board.get_new_board(col, to_move) for col in columns(board)]
        values = [self.minmax(child, 3 - to_move, depth - 1) for child in children]
        return max(values) if to_move == self.player_id else min(values)

    def final_value(self, board, depth):
        """What a board is worth that is not searched, with `depth` discs left; else None.

        The more discs are left, the better is a win and the worse a loss: so a win is taken as
        soon as possible, and a loss put off.
        """
        winner = self.heuristic.winning(board.get_board_state(), self.game_n)
        if winner == 0 and depth > 0:
            return None
        value = self.heuristic.evaluate_board(self.player_id, board)
        if winner > 0:
            value += depth if winner == self.player_id else -depth
        return value


class AlphaBetaPlayer(MinMaxPlayer):
    """Does not look at boards that one of the two would never let come up."""

    def make_move(self, board):
        """The column that `MinMaxPlayer` plays."""
        best_col, best_value = None, -inf
        for col in columns(board):
            child = board.get_new_board(col, self.player_id)
            value = self.alphabeta(child, 3 - self.player_id, self.depth - 1, best_value, inf)
            if value > best_value:
                best_col, best_value = col, value
        return best_col

    def alphabeta(self, board, to_move, depth, alpha, beta):
        """What `minmax` finds if that lies between `alpha` and `beta`, else a value on its side.

        `alpha` is what this player can have elsewhere, `beta` what the opponent can hold it to.
        """
        value = self.final_value(board, depth)
        if value is not None:
            return value
        for col in columns(board):
            child = board.get_new_board(col, to_move)
            value = self.alphabeta(child, 3 - to_move, depth - 1, alpha, beta)
            if to_move == self.player_id:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                break  # one of the two has a better way than to let it come to this
        return alpha if to_move == self.player_id else beta
