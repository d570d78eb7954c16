"""Puts its own checker on the board and leaves it there.
expect: plays as next_move AIPlayer
"""


class AIPlayer:
    def __init__(self, checker, tiebreak, lookahead):
        self.checker = checker
        self.moves = 0

    def next_move(self, board):
        mine = sum(cell == self.checker for row in board.slots for cell in row)
        assert mine == self.moves, (mine, self.moves)
        move = [c for c in range(board.width) if board.can_add_to(c)][0]
        board.add_checker(self.checker, move)
        self.moves += 1
        return move
