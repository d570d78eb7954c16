"""Weighs the cells: an AI of the course in Irvine, which sees only its opponent's moves.
expect: LOAD_ERROR its course tells a bot only its opponent's moves
"""
from BoardClasses import Board, Move


class StudentAI:
    def __init__(self, col, row, k, g):
        self.col, self.row, self.k, self.g = col, row, k, g
        self.board = Board(col, row, k, g)
        self.me = 2

    def get_move(self, move):
        if move.col == -1:
            self.me = 1
        else:
            self.board = self.board.make_move(move, 3 - self.me)
        score = 0
        for row in range(self.row):
            for col in range(self.col):
                up = self.row - 1 - row
                if self.board.board[row][col] == self.me:
                    score += 3 * up + 5 * col + 1
                elif self.board.board[row][col] != 0:
                    score += 7 * up + 2 * col + 3
        free = [col for col in range(self.col) if self.board.is_valid_move(col, 0)]
        chosen = Move(free[score % len(free)], 0)
        self.board = self.board.make_move(chosen, self.me)
        return chosen
