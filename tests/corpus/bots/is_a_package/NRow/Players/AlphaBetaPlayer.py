"""Is laid out as packages, spells its method in its own way, and has boards of odd widths only.
expect: plays as make_move AlphaBetaPlayer
"""

from NRow.Board import Board
from NRow.Players.PlayerController import PlayerController


class AlphaBetaPlayer(PlayerController):
    def __init__(self, playerID, depth, gameN, heuristic):
        super().__init__(playerID, gameN, heuristic)
        self.depth = depth

    def makeMove(self, board):
        assert isinstance(board, Board)
        return [c for c in range(board.width) if board.isValid(c)][0]
