"""Its constructor has the arguments in this order; another bot has them in another.
expect: plays as make_move AlphaBetaPlayer
options: depth = 7
"""

from players import PlayerController


class AlphaBetaPlayer(PlayerController):
    def __init__(self, player_id, game_n, depth, heuristic):
        assert (player_id in (1, 2), game_n, depth) == (True, 4, 7), (player_id, game_n, depth)
        assert heuristic.winning
        self.player_id = player_id

    def make_move(self, board):
        return next(c for c in range(board.width) if board.is_valid(c))
