"""The contest's reference player: alpha-beta within a node budget.

Iterative deepening over the classic evaluation: a line that only one player can still complete
is worth 50 points with one disc missing and 10 with two missing; a cell that would complete one
on a row that favours its owner is worth 30 more. Wins and blocks are seen without a search, so
the budget goes to positions in which there is something to decide.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

Rack = Sequence[Sequence[int]]
"""rack[c][r], r = 0 at the bottom; 0 is empty, 1 and 2 are the players' discs."""

ONE_MISSING, TWO_MISSING = 50, 10
"""The evaluation of a line by the discs it lacks."""

LINE_MADE = 1_000
"""The evaluation of a complete line, met only in games that go on after one is made."""

GOOD_ROW = 30
"""The evaluation of a winning cell on a row that its owner will get to fill, if all else fills."""

WIN = 1_000_000_000
"""More than any evaluation. A win is worth this and the number of empty cells it leaves."""

EXACT, AT_LEAST, AT_MOST = range(3)
"""What the value in the transposition table is to the true one."""

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Across, up, up-right and down-right."""


class OutOfNodes(Exception):
    """The budget is spent: the search is abandoned where it stands."""


class Position(NamedTuple):
    """A position as the player to move sees it. Sets of cells are integers, one bit a cell."""

    side: int
    """Who is to move, 1 or 2."""

    last: int
    """The cell of the disc that led here, which is not yet entered in the line table; or -1."""

    free: int
    """Where a disc would land, one cell for each column that has room."""

    wins: int
    """Cells with which the player to move would complete a line."""

    losses: int
    """Cells with which the opponent would."""

    score: int
    """The evaluation of the lines."""

    empty: int
    """How many cells are empty."""

    key: int
    """The discs, two bits a cell."""


class ComputerPlayer:
    """Searches as deep as `nodes` calls of `search` reach. `difficulty_level` is not used."""

    def __init__(
        self, id: int, difficulty_level: int = 4, nodes: int | None = 10_000, connect: int = 4
    ) -> None:
        self.id = id
        self.nodes = 10_000 if nodes is None else nodes
        self.connect = connect
        self.size = (0, 0)

    def pick_move(self, rack: Rack) -> int:
        """The column to play. It depends on the rack alone, not on the moves before."""
        if self.size != (len(rack), len(rack[0])):
            self.lay_out(len(rack), len(rack[0]))
        self.root = self.read(rack)
        self.calls = 0
        self.table: dict[int, tuple[int, int, int, int]] = {}
        free = self.root.free
        sensible = free & self.root.wins or self.moves(self.root) or free & self.root.losses
        self.choice = self.cells(sensible or free)[0]
        if not free & self.root.wins and self.moves(self.root):
            try:
                for depth in range(1, self.root.empty + 1):
                    if abs(self.search(self.root, depth, -2 * WIN, 2 * WIN)) >= WIN:
                        break
            except OutOfNodes:
                pass  # the best move of the last depth is searched first: `choice` is no worse
        return self.choice // self.stride

    def lay_out(self, columns: int, rows: int) -> None:
        """Build the tables for this size of board.

        Cells are numbered up the columns, with a cell that is never used on top of each column.
        """
        self.size = (columns, rows)
        self.stride = rows + 1
        whole = (1 << rows) - 1
        middle_first = sorted(range(columns), key=lambda column: abs(2 * column - columns + 1))
        self.columns = [whole << column * self.stride for column in middle_first]
        self.board = sum(self.columns)
        self.tops = sum(1 << column * self.stride + rows for column in range(columns))
        odd_rows = sum(1 << row for row in range(0, rows, 2))
        self.odd_rows = sum(odd_rows << column * self.stride for column in range(columns))
        self.lines: list[tuple[int, ...]] = []
        self.lines_at: list[list[int]] = [[] for _ in range(columns * self.stride)]
        for across, up in DIRECTIONS:
            for column in range(columns):
                for row in range(rows):
                    end_column = column + (self.connect - 1) * across
                    end_row = row + (self.connect - 1) * up
                    if end_column < columns and 0 <= end_row < rows:
                        start, step = column * self.stride + row, across * self.stride + up
                        cells = tuple(start + i * step for i in range(self.connect))
                        for cell in cells:
                            self.lines_at[cell].append(len(self.lines))
                        self.lines.append(cells)
        # a getter wants two indices at least: the last entry of the table stands for no line
        none = len(self.lines)
        self.lines_of = [itemgetter(*lines, none, none) for lines in self.lines_at]
        self.weigh()

    def weigh(self) -> None:
        """Work out what a disc gains in a line, for every count of discs the line may hold.

        The state of a line is its discs of player 1 plus `connect + 1` times those of player 2.
        """
        full = self.connect
        self.units = (0, 1, full + 1)
        self.almost = [full * full * full] + [(full - 2) * self.units[side] for side in (1, 2)]
        worth = {full: LINE_MADE, full - 1: ONE_MISSING}
        if full > 2:
            worth[full - 2] = TWO_MISSING
        self.gains: list[list[int]] = [[], [0] * (full + 1) ** 2, [0] * (full + 1) ** 2]
        for own in range(full):
            for side in (1, 2):
                state = own * self.units[side]
                self.gains[side][state] = worth.get(own + 1, 0) - worth.get(own, 0)
        for other in range(1, full):
            for side in (1, 2):
                self.gains[side][other * self.units[3 - side]] = worth.get(other, 0)

    def read(self, rack: Rack) -> Position:
        """The rack as a position, and the line table filled with its discs."""
        columns, rows = self.size
        none = self.units[1] + self.units[2]
        self.state = [0] * len(self.lines) + [none]
        self.rest = [sum(cells) for cells in self.lines]
        discs = {
            column * self.stride + row: disc
            for column, cells in enumerate(rack)
            for row, disc in enumerate(cells)
            if disc
        }
        first = self.id if len(discs) % 2 == 0 else 3 - self.id
        even_rows = self.board & ~self.odd_rows
        self.good_rows = {first: self.odd_rows, 3 - first: even_rows}
        score, key, wins = 0, 0, {1: 0, 2: 0}
        for cell, disc in discs.items():
            sign = 1 if disc == self.id else -1
            now = Position(disc, -1, 0, wins[disc], wins[3 - disc], sign * score, 0, key)
            after = self.look(now, cell)
            self.enter(after, 1)
            score, key, wins[disc] = -sign * after.score, after.key, after.losses
        heights = [sum(1 for cell in cells if cell) for cells in rack]
        free = sum(
            1 << column * self.stride + height
            for column, height in enumerate(heights)
            if height < rows
        )
        empty = columns * rows - len(discs)
        return Position(self.id, -1, free, wins[self.id], wins[3 - self.id], score, empty, key)

    def cells(self, places: int) -> list[int]:
        """The cells of a set with at most one in a column, from the middle outwards."""
        return [(places & column).bit_length() - 1 for column in self.columns if places & column]

    def moves(self, p: Position) -> int:
        """Moves that do not lose at once: none if two cells, or one and the one above, must be."""
        blocks = p.free & p.losses
        if blocks & (blocks - 1):
            return 0
        return (blocks or p.free) & ~(p.losses >> 1)

    def look(self, p: Position, cell: int) -> Position:
        """The position after a move, without entering it in the line table."""
        side = p.side
        states = self.lines_of[cell](self.state)
        score = p.score + sum(map(self.gains[side].__getitem__, states))
        wins = p.wins
        if self.almost[side] in states:
            for line, state in zip(self.lines_at[cell], states, strict=False):
                if state == self.almost[side]:
                    # what is left of the sum of a line's empty cells is its last one
                    wins |= 1 << (self.rest[line] - cell)
        free = (p.free ^ 1 << cell) | (2 << cell & self.board)
        key = p.key | side << 2 * cell
        return Position(3 - side, cell, free, p.losses, wins, -score, p.empty - 1, key)

    def enter(self, p: Position, sign: int) -> None:
        """Put the disc that led here into the line table (sign 1), or take it out (-1)."""
        if p.last >= 0:
            unit, cell = sign * self.units[3 - p.side], sign * p.last
            for line in self.lines_at[p.last]:
                self.state[line] += unit
                self.rest[line] -= cell

    def evaluate(self, p: Position) -> int:
        """The lines, and the winning cells that wait on good rows, out of reach for now."""
        waiting = (self.tops - p.free) & self.board & ~p.free
        mine, theirs = p.wins & waiting, p.losses & waiting
        # a cell right above one where the other side wins will never be played
        mine_good = mine & self.good_rows[p.side] & ~(theirs << 1)
        theirs_good = theirs & self.good_rows[3 - p.side] & ~(mine << 1)
        return p.score + GOOD_ROW * (mine_good.bit_count() - theirs_good.bit_count())

    def search(self, p: Position, depth: int, alpha: int, beta: int) -> int:
        """The value of a position, `depth` plies ahead. One node of the budget."""
        self.calls += 1
        if self.calls >= self.nodes:
            raise OutOfNodes
        if p.free & p.wins:
            return WIN + p.empty - 1
        moves = self.moves(p)
        if not moves:
            return 2 - WIN - p.empty if p.free else p.score
        if depth <= 0 and not p.free & p.losses:
            return self.evaluate(p)
        best_cell = -1
        if p.key in self.table:
            known_depth, kind, value, best_cell = self.table[p.key]
            cut = kind == EXACT or (value >= beta if kind == AT_LEAST else value <= alpha)
            if cut and known_depth >= depth and p is not self.root:
                return value
        self.enter(p, 1)
        following = [self.look(p, cell) for cell in self.cells(moves)]
        following.sort(key=lambda q: (q.last != best_cell, q.score))
        best, low = -3 * WIN, alpha
        for q in following:
            if depth == 1 and q is not following[0] and -q.score <= alpha and not q.free & q.losses:
                continue  # no better than what is there already, and nothing is forced
            value = -self.search(q, depth - 1, -beta, -alpha)
            if value > best:
                best, best_cell = value, q.last
                if p is self.root:
                    self.choice = best_cell
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        self.enter(p, -1)
        kind = AT_LEAST if best >= beta else AT_MOST if best <= low else EXACT
        self.table[p.key] = depth, kind, best, best_cell
        return best
