"""Tests itself when it is imported, and fails.
expect: plays as next_move AIPlayer
"""


class AIPlayer:
    def __init__(self, checker, tiebreak, lookahead):
        self.checker = checker

    def next_move(self, board):
        return [c for c in range(board.width) if board.can_add_to(c)][0]


def test_player():
    assert AIPlayer("X", "LEFT", 3).checker == "O"


test_player()
