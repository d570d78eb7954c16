"""The board of the `next_move` homework: any height and width, four in a line."""

LINE = 4


class Board:
    """A board of `height` rows and `width` columns."""

    def __init__(self, height, width):
        """An empty board; `slots[0][0]` is top left, each slot is 'X', 'O' or ' '."""
        self.height = height
        self.width = width
        self.slots = [[" "] * width for _ in range(height)]

    def __repr__(self):
        """The rows, a line of dashes, and the last digit of every column's number."""
        rows = ["|" + "".join(f"{slot}|" for slot in row) for row in self.slots]
        numbers = "".join(f" {column % 10}" for column in range(self.width))
        return "\n".join([*rows, "-" * (2 * self.width + 1), numbers])

    def add_checker(self, checker, col):
        """Drop a checker; a full column takes none."""
        for row in reversed(self.slots):
            if row[col] == " ":
                row[col] = checker
                return

    def remove_checker(self, col):
        """Take the topmost checker out of a column, if it has one."""
        for row in self.slots:
            if row[col] != " ":
                row[col] = " "
                return

    def reset(self):
        """Empty every slot."""
        for row in self.slots:
            row[:] = [" "] * self.width

    def add_checkers(self, colnums):
        """Drop X and O in turn, X first, in the columns that the digits of a text name."""
        for turn, digit in enumerate(colnums):
            if int(digit) < self.width:
                self.add_checker("XO"[turn % 2], int(digit))

    def can_add_to(self, col):
        """Whether the column exists and has room."""
        return 0 <= col < self.width and self.slots[0][col] == " "

    def is_full(self):
        """Whether no column has room."""
        return not any(self.can_add_to(col) for col in range(self.width))

    def is_checker(self, row, col, checker):
        """Whether that slot holds this checker."""
        return self.slots[row][col] == checker

    def is_win_for(self, checker):
        """Whether four of these checkers stand in a line: across, up or diagonally."""
        rows = "".join("".join(row) + "|" for row in self.slots)
        line = checker * LINE
        for step in (1, self.width, self.width + 1, self.width + 2):
            if any(line in rows[start::step] for start in range(step)):
                return True
        return False
