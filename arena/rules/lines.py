"""The line table: every winning line of a board, and the lines through each cell.

The discs on each line yield wins, the courses' evaluations and MaxConnect4's score. A line's *hold*
is `own + (connect + 1) * other`: the numbers of discs of player 0 and of player 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from arena.rules.ruleset import Ruleset

# Worth of a line with discs of one player only, by the number of discs from 0.
Weights = tuple[int, ...]
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (-1, 1))  # (rows, columns): across, up, up-right, down-right.


@dataclass(frozen=True, slots=True)
class LineTable:
    """Lines of a board. A cell's index is `column * rows + row`, row 0 lowest."""

    connect: int

    lines: tuple[tuple[int, ...], ...]
    """The cells of every line."""

    through: tuple[tuple[int, ...], ...]
    """The indices of the lines through each cell."""

    def holds(self, cells: Sequence[int]) -> list[int]:
        """Return the hold of every line, given each cell's content: 0, 1 or 2."""
        step = (0, 1, self.connect + 1)
        return [sum(step[cells[cell]] for cell in line) for line in self.lines]

    def complete(self, player: int) -> int:
        """Return the hold of a line that holds only a player's discs."""
        return self.connect * (self.connect + 1 if player else 1)

    def values(self, weights: Weights) -> list[int]:
        """Return a list, indexed by hold: what such a line is worth for player 0."""
        base = self.connect + 1
        table = [0] * (base * base)
        for discs in range(1, base):
            table[discs] = weights[discs]
            table[discs * base] = -weights[discs]
        return table


def fifty_ten(connect: int) -> Weights:
    """Return the `player` course's weights: one disc short 50, two short 10."""
    weights = [0] * (connect + 1)
    weights[connect - 1] = 50
    if connect > 2:
        weights[connect - 2] = 10
    return tuple(weights)


@cache
def line_table(rules: Ruleset) -> LineTable:
    rows, columns, connect = rules.rows, rules.columns, rules.connect
    lines = []
    for up, right in DIRECTIONS:
        for column in range(columns):
            for row in range(rows):
                last_row, last_column = row + up * (connect - 1), column + right * (connect - 1)
                if 0 <= last_row < rows and last_column < columns:
                    lines.append(
                        tuple(
                            (column + right * step) * rows + row + up * step
                            for step in range(connect)
                        )
                    )
    through: list[list[int]] = [[] for _ in range(rules.cells)]
    for index, line in enumerate(lines):
        for cell in line:
            through[cell].append(index)
    return LineTable(connect, tuple(lines), tuple(map(tuple, through)))
