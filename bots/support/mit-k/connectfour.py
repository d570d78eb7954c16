"""The board of the MIT course: cannot be changed, row 0 on top."""


class InvalidMoveException(Exception):
    def __init__(self, column, board):
        super().__init__(column, board)
        self.column, self.board = column, board


class NonexistentMoveException(Exception):
    pass


class ConnectFourBoard:
    board_width = 7
    board_height = 6

    def __init__(
        self,
        board_array=None,
        board_already_won=None,
        modified_column=None,
        current_player=1,
        previous_move=-1,
        k_value=4,
    ):
        if board_array is None:
            board_array = ((0,) * self.board_width,) * self.board_height
        self._rows = tuple(map(tuple, board_array))
        self.board_height, self.board_width = len(self._rows), len(self._rows[0])
        self.current_player, self.previous_move = current_player, previous_move
        self._k = k_value

    def get_k_value(self):
        return self._k

    def get_current_player_id(self):
        return self.current_player

    def get_other_player_id(self):
        return 3 - self.current_player

    def get_board_array(self):
        return self._rows

    def get_cell(self, row, col):
        return self._rows[row][col]

    def get_top_elt_in_column(self, column):
        """The upper disc's player, or 0."""
        return next((row[column] for row in self._rows if row[column] > 0), 0)

    def get_height_of_column(self, column):
        """The lowest free row, -1 if the column is full; the board's height if it is empty."""
        for number, row in enumerate(self._rows):
            if row[column] != 0:
                return number - 1
        return self.board_height

    def do_move(self, column):
        free = [r for r in range(self.board_height) if self._rows[r][column] == 0]
        if not free:
            raise InvalidMoveException(column, self)
        rows = [list(row) for row in self._rows]
        rows[max(free)][column] = self.current_player
        return ConnectFourBoard(
            rows,
            current_player=self.get_other_player_id(),
            previous_move=column,
            k_value=self._k,
        )

    def _runs(self, player):
        """Sets of neighbouring cells of a player in a line, the longest of each line."""
        height, width = self.board_height, self.board_width
        for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            for row in range(height):
                for col in range(width):
                    cells = []
                    r, c = row, col
                    while 0 <= r < height and 0 <= c < width and self._rows[r][c] == player:
                        cells.append((r, c))
                        r, c = r + down, c + right
                    if cells:
                        yield tuple(cells)

    def chain_cells(self, playerid):
        return set(self._runs(playerid))

    def longest_chain(self, playerid):
        return max(map(len, self._runs(playerid)), default=0)

    def is_win(self):
        """The player with a line, or 0."""
        return next((p for p in (1, 2) if self.longest_chain(p) >= self._k), 0)

    def is_tie(self):
        return all(cell != 0 for cell in self._rows[0])

    def is_game_over(self):
        return self.is_win() != 0 or self.is_tie()

    def num_tokens_on_board(self):
        return sum(cell != 0 for row in self._rows for cell in row)

    def clone(self):
        return ConnectFourBoard(
            self._rows,
            current_player=self.current_player,
            previous_move=self.previous_move,
            k_value=self._k,
        )

    def __eq__(self, other):
        return isinstance(other, ConnectFourBoard) and self._rows == other._rows

    def __hash__(self):
        return hash(self._rows)

    def __str__(self):
        signs = " XO"
        lines = ["|".join(signs[cell] for cell in row) for row in self._rows]
        return "\n".join(lines)
