"""The board of the WPI course: rows of cells, row 0 at the bottom."""


class Board:
    def __init__(self, board, w, h, n):
        self.board = [list(row) for row in board]
        self.w, self.h = w, h
        self.n = n  # length of a line
        self.player = 1  # whose turn it is

    def copy(self):
        made = Board(self.board, self.w, self.h, self.n)
        made.player = self.player
        return made

    def free_cols(self):
        return [x for x in range(self.w) if self.board[-1][x] == 0]

    def add_token(self, x):
        y = 0
        while self.board[y][x] != 0:
            y += 1
        self.board[y][x] = self.player
        self.player = 3 - self.player

    def is_line_at(self, x, y, dx, dy):
        """Whether n discs of one player begin at (x, y), in steps of (dx, dy)."""
        end_x, end_y = x + (self.n - 1) * dx, y + (self.n - 1) * dy
        if not (0 <= end_x < self.w and 0 <= end_y < self.h):
            return False
        player = self.board[y][x]
        return all(self.board[y + i * dy][x + i * dx] == player for i in range(1, self.n))

    def is_any_line_at(self, x, y):
        steps = ((1, 0), (0, 1), (1, 1), (1, -1))
        return any(self.is_line_at(x, y, dx, dy) for dx, dy in steps)

    def get_outcome(self):
        """The winner, or 0."""
        for x in range(self.w):
            for y in range(self.h):
                if self.board[y][x] != 0 and self.is_any_line_at(x, y):
                    return self.board[y][x]
        return 0

    def print_it(self):
        signs = ".XO"
        for row in reversed(self.board):
            print("|" + "".join(signs[cell] for cell in row) + "|")
        print("+" + "-" * self.w + "+")
