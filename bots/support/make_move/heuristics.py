"""How good a board is, for the players of the `make_move` course."""

import numpy as np
from compiled_by_numba import compiled
from either_spelling import EitherSpelling


class Heuristic(EitherSpelling):
    """Puts a number on a board; a class of its own says which, in `_evaluate`."""

    def __init__(self, game_n):
        """`game_n` in a row win."""
        self.game_n = game_n
        self.eval_count = 0

    def __str__(self):
        return self._name()

    def get_best_action(self, player_id, board):
        """The column whose disc makes the best board; of several the leftmost."""
        worst = -max(board.width, board.height) - 1
        utils = np.full(board.width, worst)
        for col in range(board.width):
            if board.is_valid(col):
                self.eval_count += 1
                utils[col] = self.evaluate_board(player_id, board.get_new_board(col, player_id))
        return int(np.argmax(utils))

    def evaluate_board(self, player_id, board):
        """How good the board is for a player; counts the evaluation."""
        self.eval_count += 1
        state = board.get_board_state()
        return self._evaluate(player_id, state, self.winning(state, self.game_n))

    @staticmethod
    def winning(state, game_n):
        """See `app.winning`."""
        from app import winning

        return winning(state, game_n)

    def _name(self):
        """What it is called."""
        raise NotImplementedError

    def _evaluate(self, player_id, state, winner):
        """How good `state[col, row]` is for a player; `winner` is what `winning` says of it."""
        raise NotImplementedError


class SimpleHeuristic(Heuristic):
    """The longer the longest run of a player's discs, the better."""

    def _name(self):
        """What it is called."""
        return "Simple"

    @staticmethod
    @compiled
    def _evaluate(player_id, state, winner):
        """The longest run, 0 for a draw, or more than any run for a win, negative for a loss."""
        width, height = state.shape
        if winner < 0:
            return 0
        if winner > 0:
            return max(width, height) if winner == player_id else -max(width, height)
        longest = 0
        for col in range(width):
            for row in range(height):
                for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    c, r, run = col, row, 0
                    while c < width and 0 <= r < height and state[c, r] == player_id:
                        c, r, run = c + right, r + down, run + 1
                    longest = max(longest, run)
        return longest
