"""Its constructor has the arguments in this order; another bot has them in another.
expect: plays as make_move AlphaBetaPlayer
options: depth = 7
"""

from players import PlayerController


class AlphaBetaPlayer(PlayerController):
    def __init__(self, playerID, depth, gameN, heuristic):
        assert (playerID in (1, 2), gameN, depth) == (True, 4, 7), (playerID, gameN, depth)
        assert heuristic.winning
        self.player_id = playerID

    def make_move(self, board):
        return next(c for c in range(board.width) if board.is_valid(c))
