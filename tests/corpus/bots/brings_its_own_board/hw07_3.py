"""Has given its board a method that the course's has not.
expect: plays as next_move AIPlayer
"""

from board import Board


class AIPlayer:
    def __init__(self, checker, tiebreak="LEFT", lookahead=2):
        self.checker = checker

    def next_move(self, board):
        assert isinstance(board, Board)
        return board.first_free()
