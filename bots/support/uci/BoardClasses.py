"""The board of the UCI course, Connect-K: row 0 on top."""


class InvalidMoveError(Exception):
    pass


class InvalidParameterError(Exception):
    pass


class Move:
    def __init__(self, col, row):
        self.col, self.row = col, row


class Board:
    def __init__(self, col, row, k, g):
        self.col, self.row, self.k, self.g = col, row, k, g
        self.board = [[0] * col for _ in range(row)]

    def is_valid_move(self, col, row, check_space=True):
        if not 0 <= col < self.col:
            return False
        if self.g:
            return not check_space or self.board[0][col] == 0
        return 0 <= row < self.row and (not check_space or self.board[row][col] == 0)

    def make_move(self, move, player):
        """A new board with the move of player 1 or 2."""
        if not self.is_valid_move(move.col, move.row):
            raise InvalidMoveError
        after = Board(self.col, self.row, self.k, self.g)
        after.board = [row.copy() for row in self.board]
        row = move.row
        if self.g:
            row = max(r for r in range(self.row) if self.board[r][move.col] == 0)
        after.board[row][move.col] = player
        return after

    def is_win(self):
        """0: it goes on; 1 or 2: has won; -1: a tie."""
        for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            for row in range(self.row):
                for col in range(self.col):
                    end = row + (self.k - 1) * down, col + (self.k - 1) * right
                    if 0 <= end[0] < self.row and end[1] < self.col:
                        line = {self.board[row + i * down][col + i * right] for i in range(self.k)}
                        if len(line) == 1 and line != {0}:
                            return line.pop()
        return 0 if any(0 in row for row in self.board) else -1

    def show_board(self):
        for row in self.board:
            print(*row)
