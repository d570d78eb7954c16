"""A weak player without a search, at several levels: its options.

It is a house player for the part of the scale where random is too weak and the engine too strong.
"""

import random
from collections.abc import Iterator, Sequence

STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Across, up, up-right and down-right."""


class ComputerPlayer:
    """Plays the best column by the rules that it knows, and now and then any column."""

    def __init__(
        self,
        id: int,
        difficulty_level: int,
        *,
        connect: int = 4,
        slips: float = 0.0,
        looks: int = 1,
    ) -> None:
        """`slips` is the share of moves that are random.

        With `looks` = 1 it completes its lines and blocks the other player's; with 2 it also keeps
        off cells below those where the other one would win, and prefers the middle; with 3 it
        prefers cells through which lines with the most discs of one player run.
        """
        self.id = id
        self.connect = connect
        self.slips = slips
        self.looks = looks

    def pick_move(self, rack: Sequence[Sequence[int]]) -> int:
        """A column of `rack` (rack[c][r], r = 0 at the bottom, 0 for an empty cell)."""
        free = [(column, cells.index(0)) for column, cells in enumerate(rack) if 0 in cells]
        if random.random() < self.slips:
            return random.choice(free)[0]
        random.shuffle(free)  # the first of the best is any of them
        return max(free, key=lambda cell: self.wishes(rack, *cell))[0]

    def wishes(self, rack: Sequence[Sequence[int]], column: int, row: int) -> tuple[int, ...]:
        """What a disc in a cell is good for, what counts most first."""
        other = 3 - self.id
        lines = list(self.lines(rack, column, row))
        wins, blocks = self.completes(lines, self.id), self.completes(lines, other)
        if self.looks == 1:
            return wins, blocks
        above = self.lines(rack, column, row + 1) if row + 1 < len(rack[column]) else ()
        gives = self.completes(above, other)
        if self.looks == 2:
            return wins, blocks, -gives, -abs(2 * column - len(rack) + 1)
        return wins, blocks, -gives, sum(self.worth(held) for held in lines)

    def worth(self, held: Sequence[int]) -> int:
        """What a disc gains in a line, by what its other cells hold; a second disc counts more."""
        mine, theirs = held.count(self.id), held.count(3 - self.id)
        if theirs:
            return 0 if mine else 3**theirs
        return 2 * 3**mine if mine else 3

    def completes(self, lines: Iterator[list[int]] | Sequence[list[int]], player: int) -> bool:
        """Whether a disc of the player completes one of the lines through its cell."""
        return any(held.count(player) == self.connect - 1 for held in lines)

    def lines(self, rack: Sequence[Sequence[int]], column: int, row: int) -> Iterator[list[int]]:
        """What the other cells of each line through a cell hold."""
        columns, rows, connect = len(rack), len(rack[0]), self.connect
        for across, up in STEPS:
            for before in range(connect):
                left, low = column - before * across, row - before * up
                right, high = left + (connect - 1) * across, low + (connect - 1) * up
                if left >= 0 and right < columns and 0 <= low < rows and 0 <= high < rows:
                    yield [
                        rack[left + i * across][low + i * up] for i in range(connect) if i != before
                    ]
