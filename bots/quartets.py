"""Minimax over quartets: the Connect Four homework in full, with alpha-beta pruning.

A quartet is four spaces in a row in which a player could win; a standard rack has 69. One
with discs of both colours is worth nothing; otherwise it is worth 1, 10 or 100 points for
one, two or three discs and infinity for four, positive for this player's discs and negative
for the opponent's. The value of a rack is the sum over its quartets.
"""

from collections.abc import Iterator, Sequence
from math import inf

Rack = Sequence[Sequence[int]]
"""rack[c][r], r = 0 at the bottom; 0 is empty, 1 and 2 are the players' discs."""

Cell = tuple[int, int]
"""Column and row."""

POINTS = (0, 1, 10, 100, inf)
"""The worth of a quartet by how many discs it holds, all of one colour."""

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Across, up, up-right and down-right."""


def points(mine: int, theirs: int) -> float:
    """What a quartet with so many discs of each player adds to the value of a rack."""
    if mine and theirs:
        return 0
    return POINTS[mine] - POINTS[theirs]


def find_quartets(columns: int, rows: int) -> Iterator[tuple[Cell, ...]]:
    """Every quartet of a rack of this size, as its four cells. A small rack may have none."""
    for across, up in DIRECTIONS:
        for column in range(columns):
            for row in range(rows):
                cells = tuple((column + i * across, row + i * up) for i in range(4))
                last_column, last_row = cells[-1]
                if last_column < columns and 0 <= last_row < rows:
                    yield cells


class ComputerPlayer:
    """Looks `difficulty_level` plies ahead."""

    pruning = True
    """Whether alpha-beta pruning is on. It changes how long a move takes, never the move."""

    def __init__(self, id: int, difficulty_level: int = 4, nodes: int | None = None) -> None:
        self.id = id
        """Which discs are this player's, 1 or 2."""

        self.difficulty_level = difficulty_level
        """How many plies to look ahead."""

        self.nodes = nodes
        """How many calls of `search` a move may take; None for any number."""

    def pick_move(self, rack: Rack) -> int:
        """The best column. Ties go to the column that is nearest the centre.

        Looks one ply ahead, then two, and so on, so that a win is taken as soon as possible
        and a loss put off as long as possible: to `search`, all wins are equally infinite.
        """
        value = self.set_up(rack)
        choice = next(column for column in self.order if self.heights[column] < self.rows)
        spent = 0
        for plies in range(1, self.difficulty_level + 1):
            spent += sum(len(rack) ** ply for ply in range(plies + 1))
            if self.nodes is not None and spent > self.nodes:
                break  # decided by the size of the whole tree, so that pruning changes nothing
            outlook, column = self.search(value, 1, plies, -inf, inf)
            if outlook == -inf or column is None:
                break
            choice = column
            if outlook == inf:
                break
        return choice

    def set_up(self, rack: Rack) -> float:
        """Count the discs in every quartet of `rack`. Returns the value of the rack.

        Quartets that are complete already are left out: there are some only where a game goes
        on after a win, and there they are no reason to prefer one move to another.
        """
        columns, self.rows = len(rack), len(rack[0])
        self.order = sorted(range(columns), key=lambda column: abs(2 * column - columns + 1))
        self.heights = [sum(disc != 0 for disc in column) for column in rack]
        self.mine: list[int] = []
        self.theirs: list[int] = []
        self.quartets_at: dict[Cell, list[int]] = {
            (column, row): [] for column in range(columns) for row in range(self.rows)
        }
        for cells in find_quartets(columns, self.rows):
            discs = [rack[column][row] for column, row in cells]
            mine, theirs = discs.count(self.id), discs.count(3 - self.id)
            if 4 not in (mine, theirs):
                for cell in cells:
                    self.quartets_at[cell].append(len(self.mine))
                self.mine.append(mine)
                self.theirs.append(theirs)
        return sum(map(points, self.mine, self.theirs))

    def search(
        self, value: float, sign: int, plies: int, alpha: float, beta: float
    ) -> tuple[float, int | None]:
        """Negamax: what the rack is worth to the player to move, and that player's best column.

        `value` is the rack's value to this player, `sign` is 1 if this player is to move and
        -1 if the opponent is. The column is None at the end of a game or of the look-ahead.
        """
        if plies == 0 or abs(value) == inf:
            return sign * value, None
        best, choice = -inf, None
        for column in self.order:
            row = self.heights[column]
            if row == self.rows:
                continue
            gain = self.drop(column, row, sign)
            outlook = -self.search(value + gain, -sign, plies - 1, -beta, -alpha)[0]
            self.lift(column, row, sign)
            if choice is None or outlook > best:
                best, choice = outlook, column
            if self.pruning:
                alpha = max(alpha, best)
                if alpha >= beta:
                    break  # the opponent has a better way than to let it come to this
        if choice is None:
            return sign * value, None
        return best, choice

    def drop(self, column: int, row: int, sign: int) -> float:
        """Put a disc into the rack. Returns by how much the rack's value changes."""
        gain = 0.0
        self.heights[column] += 1
        discs = self.mine if sign == 1 else self.theirs
        for quartet in self.quartets_at[column, row]:
            gain -= points(self.mine[quartet], self.theirs[quartet])
            discs[quartet] += 1
            gain += points(self.mine[quartet], self.theirs[quartet])
        return gain

    def lift(self, column: int, row: int, sign: int) -> None:
        """Take the disc out again."""
        self.heights[column] -= 1
        discs = self.mine if sign == 1 else self.theirs
        for quartet in self.quartets_at[column, row]:
            discs[quartet] -= 1
