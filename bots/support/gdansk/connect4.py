"""The game of the Gdańsk course: rows of '_', 'o' and 'x', row 0 on top."""

from exceptions import GameplayException


class Connect4:
    def __init__(self, width=7, height=6):
        self.width, self.height = width, height
        self.who_moves = "o"
        self.game_over = False
        self.wins = None
        self.board = [["_"] * width for _ in range(height)]

    def possible_drops(self):
        return [column for column in range(self.width) if self.board[0][column] == "_"]

    def drop_token(self, n_column):
        if self.game_over:
            raise GameplayException("game over")
        if n_column not in self.possible_drops():
            raise GameplayException("invalid move")
        row = max(r for r in range(self.height) if self.board[r][n_column] == "_")
        self.board[row][n_column] = self.who_moves
        self.game_over = self.check_game_over()
        self.who_moves = "x" if self.who_moves == "o" else "o"

    def center_column(self, offset=0):
        column = self.width // 2 + offset
        return [row[column] for row in self.board]

    def iter_fours(self):
        """The contents of all lines of four cells."""
        for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            for row in range(self.height):
                for col in range(self.width):
                    end = row + 3 * down, col + 3 * right
                    if 0 <= end[0] < self.height and end[1] < self.width:
                        yield [self.board[row + i * down][col + i * right] for i in range(4)]

    def check_game_over(self):
        if not self.possible_drops():
            self.wins = None
            return True
        for four in self.iter_fours():
            if four in (["o"] * 4, ["x"] * 4):
                self.wins = four[0]
                return True
        return False

    def draw(self):
        for row in self.board:
            print(" ".join(row))
        print("game over" if self.game_over else f"now moves: {self.who_moves}")
