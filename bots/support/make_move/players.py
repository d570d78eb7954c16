"""The players of the `make_move` course: a person, and two to be given a search."""

from either_spelling import EitherSpelling


class PlayerController(EitherSpelling):
    """Somebody who plays; a class of its own says how, in `make_move`."""

    def __init__(self, player_id, game_n, heuristic):
        """`player_id` is 1 or 2, `game_n` in a row win; `heuristic` may be None."""
        self.player_id = player_id
        self.game_n = game_n
        self.heuristic = heuristic

    def __str__(self):
        return "X" if self.player_id == 1 else "O"

    def get_eval_count(self):
        """How many boards its heuristic has evaluated."""
        return self.heuristic.eval_count if self.heuristic is not None else 0

    def make_move(self, board):
        """The column to play in, counted from 0."""
        raise NotImplementedError


class HumanPlayer(PlayerController):
    """A person, who counts columns from 1."""

    def __init__(self, player_id, game_n, heuristic=None):
        """With a heuristic it is told its best column."""
        super().__init__(player_id, game_n, heuristic)

    def make_move(self, board):
        """Ask until the answer is a column with room."""
        print(board)
        if self.heuristic is not None:
            best = self.heuristic.get_best_action(self.player_id, board) + 1
            print(f"Heuristic {self.heuristic} suggests column {best}.")
        while True:
            answer = input(f"Player {self}, which column? ")
            col = int(answer) - 1 if answer.isdecimal() else -1
            if 0 <= col < board.width and board.is_valid(col):
                return col
            print("That is no column with room.")


class MinMaxPlayer(PlayerController):
    """Looks one disc ahead, whatever its depth: the search is the homework."""

    def __init__(self, player_id, game_n, depth, heuristic):
        """`depth` is how many discs to look ahead."""
        super().__init__(player_id, game_n, heuristic)
        self.depth = depth

    def make_move(self, board):
        """The column with the best board after one disc.

        So this worked example does what `heuristic.get_best_action` does too, which may help.
        """
        best_col, best_value = None, None
        for col in range(board.width):
            if board.is_valid(col):
                child = board.get_new_board(col, self.player_id)
                value = self.heuristic.evaluate_board(self.player_id, child)
                if best_value is None or value > best_value:
                    best_col, best_value = col, value
        return best_col


class AlphaBetaPlayer(MinMaxPlayer):
    """As `MinMaxPlayer`, to be given a search that prunes."""
