"""Looks as far ahead as it is told, and checks its board by all the methods it has.
expect: plays as next_move AIPlayer
note: board
"""

from board import Board


class Player:
    def __init__(self, checker):
        assert checker in "XO"
        self.checker = checker
        self.num_moves = 0

    def next_move(self, board):
        return int(input("Enter a column: "))


class AIPlayer(Player):
    def __init__(self, checker, tiebreak, lookahead):
        Player.__init__(self, checker)
        assert (tiebreak, lookahead) == ("LEFT", 3)

    def next_move(self, board):
        assert (board.height, board.width) == (6, 7)
        assert sum(cell == self.checker for row in board.slots for cell in row) == self.num_moves
        assert not board.is_win_for("X") and not board.is_full()
        self.num_moves += 1
        move = [c for c in range(board.width) if board.can_add_to(c)][0]
        board.add_checker(self.checker, move)
        assert any(board.is_checker(row, move, self.checker) for row in range(6))
        board.remove_checker(move)
        small = Board(2, 4)
        small.add_checkers("0011223")
        assert small.slots == [["O", "O", "O", " "], ["X", "X", "X", "X"]], small
        assert repr(small).rstrip("\n") == "|O|O|O| |\n|X|X|X|X|\n---------\n 0 1 2 3"
        assert small.is_win_for("X") and not small.is_win_for("O")
        small.reset()
        assert small.slots == [[" "] * 4] * 2
        return move
