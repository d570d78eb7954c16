"""MaxConnect4's boards and files: any filling of the board, and who plays next."""

from __future__ import annotations

from dataclasses import dataclass

from arena.common.errors import IllegalMoveError
from arena.rules.lines import line_table
from arena.rules.position import Rack
from arena.rules.ruleset import RULESETS

RULES = RULESETS["max"]
ROWS, COLUMNS = RULES.rows, RULES.columns


@dataclass(frozen=True, slots=True)
class Grid:
    """A board of MaxConnect4, by default empty.

    The discs need not come from a game, so they do not determine who plays next.
    """

    rack: Rack = ((0,) * ROWS,) * COLUMNS
    """rack[c][r], r = 0 at the bottom."""

    to_move: int = 0
    """The next player, 0 or 1; a file has 1 or 2 instead."""

    @classmethod
    def parse(cls, text: str) -> Grid:
        """Return a file's board. Raises ValueError with the line of the mistake."""
        lines = text.rstrip().splitlines()
        if len(lines) != ROWS + 1:
            raise ValueError(
                f"expected {ROWS + 1} lines (the rows of the board and the digit of the player to "
                f"move), found {len(lines)}"
            )
        *rows, player = lines
        for number, row in enumerate(rows, 1):
            if len(row) != COLUMNS or not set(row) <= set("012"):
                raise ValueError(
                    f"line {number} is {row[:20]!r}: expected {COLUMNS} digits 0, 1 or 2"
                )
        if player not in ("1", "2"):
            raise ValueError(
                f"line {ROWS + 1} is {player[:20]!r}: expected 1 or 2, the player to move"
            )
        for column, digits in enumerate(zip(*rows, strict=True)):
            discs = "".join(digits).lstrip("0")
            if "0" in discs:
                number = ROWS - len(discs) + discs.index("0")
                raise ValueError(f"line {number}: a disc in the air in column {column}")
        rack = tuple(tuple(map(int, reversed(digits))) for digits in zip(*rows, strict=True))
        return cls(rack, int(player) - 1)

    def rows(self) -> list[str]:
        """Return the rows as texts of digits, the top row first."""
        return ["".join(map(str, row)) for row in zip(*self.rack, strict=True)][::-1]

    def text(self) -> str:
        """Return the content of a file: the rows, then the digit of the player to move."""
        return "\n".join([*self.rows(), str(self.to_move + 1)]) + "\n"

    def play(self, column: int) -> Grid:
        """Return the board after a disc of the next player. Raises IllegalMoveError."""
        if not 0 <= column < COLUMNS:
            raise IllegalMoveError(f"column {column} does not exist")
        cells = list(self.rack[column])
        if 0 not in cells:
            raise IllegalMoveError(f"column {column} is full")
        cells[cells.index(0)] = self.to_move + 1
        rack = (*self.rack[:column], tuple(cells), *self.rack[column + 1 :])
        return Grid(rack, 1 - self.to_move)

    @property
    def is_full(self) -> bool:
        return all(column[-1] for column in self.rack)

    @property
    def score(self) -> tuple[int, int]:
        """The numbers of complete lines of player 0 and of player 1."""
        table = line_table(RULES)
        holds = table.holds([cell for column in self.rack for cell in column])
        return holds.count(table.complete(0)), holds.count(table.complete(1))
