"""A player by rules, as a program that reads lines and answers every `move` with a column.

Of the columns with room it plays the one where it makes the most lines, or else where the other
would, or else above which the other would not, or else through which the best open lines run. By
that order of wishes it plays for the first line as well as for the most.
"""

import sys
from collections.abc import Iterator, Sequence

Cell = tuple[int, int]
"""Column and row, from the bottom."""

STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Across, up, up-right and down-right."""


class Game:
    """A board of a size, and how many discs in a row are a line."""

    def __init__(self, rows: int, columns: int, connect: int) -> None:
        self.rows, self.columns, self.connect = rows, columns, connect
        self.discs: dict[Cell, int] = {}
        """The player of every disc, 1 or 2."""

    def choose(self, played: Sequence[int]) -> int:
        """The best column after these have been played, by both in turn, 1 first."""
        self.discs = {}
        heights = [0] * self.columns
        for ply, column in enumerate(played):
            self.discs[column, heights[column]] = ply % 2 + 1
            heights[column] += 1
        free = [(column, row) for column, row in enumerate(heights) if row < self.rows]
        me = len(played) % 2 + 1
        return max(free, key=lambda cell: self.wishes(cell, me))[0]

    def wishes(self, cell: Cell, me: int) -> tuple[int, ...]:
        """What a disc of mine in a cell is good for, what counts most first."""
        column, row = cell
        other = 3 - me
        made, blocked = self.count(cell, me), self.count(cell, other)
        self.discs[cell] = me
        given = self.count((column, row + 1), other) if row + 1 < self.rows else 0
        del self.discs[cell]
        middle = -abs(2 * column - self.columns + 1)
        return made, blocked, -given, self.promise(cell), middle

    def count(self, cell: Cell, player: int) -> int:
        """How many lines a disc of the player in this cell would make."""
        return sum(holds.count(player) == self.connect - 1 for holds in self.lines(cell))

    def promise(self, cell: Cell) -> int:
        """How much the lines through a cell are worth that can still be somebody's."""
        open_lines = (holds for holds in self.lines(cell) if not {1, 2} <= set(holds))
        return sum((1 + len(holds) - holds.count(0)) ** 2 for holds in open_lines)

    def lines(self, cell: Cell) -> Iterator[list[int]]:
        """Of every line through a cell what its other cells hold, 0 if nothing."""
        column, row = cell
        for across, up in STEPS:
            for before in range(self.connect):
                places = [i - before for i in range(self.connect)]
                cells = [(column + i * across, row + i * up) for i in places]
                if all(c in range(self.columns) and r in range(self.rows) for c, r in cells):
                    yield [self.discs.get(other, 0) for other in cells if other != cell]


def main() -> None:
    """Speak the protocol until there is nothing more to read."""
    game = Game(6, 7, 4)
    for line in sys.stdin:
        match line.split():
            case ["game", rows, columns, connect, *_]:
                game = Game(int(rows), int(columns), int(connect))
            case ["move", *played]:
                print(game.choose([int(column) for column in played]), flush=True)


if __name__ == "__main__":
    main()
