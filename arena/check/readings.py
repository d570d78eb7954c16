"""Positions that tell how a bot reads the board.

An interface's description can exchange the sides, turn the rows, or count the columns wrongly. In
a telling position the bot can make a line, its opponent could make one elsewhere, and upside down
the bot would see a line in a third column. So the move of a bot that looks one disc ahead shows how
it reads the board.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from itertools import product
from typing import NamedTuple

from arena.rules import Ruleset
from arena.rules.lines import line_table

DRAWS = 200  # Most positions drawn to find one.
CHOICES = 30  # Lines tried before a drawn position is abandoned.
MORE_DISCS = 3  # Most further discs in a column.

Line = tuple[int, ...]  # Contents as in the line table.
Contents = list[int]  # As in the line table: 0 empty, 1 disc of player 0, 2 of player 1.


class Reading(Enum):
    """How a bot reads the board, as its moves show."""

    RIGHT = "right"
    EXCHANGED = "sides exchanged"
    UPSIDE_DOWN = "upside down"
    MIRRORED = "left and right exchanged"
    TOO_FAR_RIGHT = "one column too far to the right"
    TOO_FAR_LEFT = "one column too far to the left"


BestColumns = Mapping[Reading, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A position with the bot to move."""

    what: str
    """Its special feature, as a clause."""

    moves: tuple[int, ...]
    """BestColumns played so far."""

    columns: BestColumns = field(default_factory=dict)
    """In a telling position: the column that each reading leads to, if no other leads there."""

    is_win: bool = False
    """Whether the right column completes the bot's line; else it prevents one."""

    @property
    def seat(self) -> int:
        """0 if the bot moves first from the empty board, else 1."""
        return len(self.moves) % 2


class ReadingFit(NamedTuple):
    """How many of a bot's moves fit a reading, in positions that tell."""

    reading: Reading
    hits: int
    positions: int
    right: int
    """Moves that fit the right reading instead."""

    seat: int | None = None
    """The only seat in which it reads so; None if in both."""

    @property
    def is_clear(self) -> bool:
        """Whether chance is a poor explanation.

        Of bots that move at random, so that one move in five fits, 1 in 600 is as clear.
        """
        return self.hits >= self.positions / 2 + 2


def likeliest(answers: Sequence[tuple[BestColumns, int, int]]) -> ReadingFit | None:
    """Return how a bot reads the board, or None if its moves do not show it.

    `answers` are (columns of a position, the bot's seat, its move).
    """
    found = [_fit(reading, answers) for reading in Reading]
    by_seat = [
        _fit(Reading.EXCHANGED, [each for each in answers if each[1] == seat])._replace(seat=seat)
        for seat in range(2)
    ]
    clear = [each for each in found if each.is_clear]
    best = max(clear, key=lambda each: each.hits / each.positions, default=None)
    # Lines to prevent are the same whoever is who, so the moves of one seat can still be wrong.
    doubtful = [each for each in by_seat if each.hits > each.right]
    if doubtful and (best is None or best.reading is Reading.RIGHT):
        return next((each for each in doubtful if each.is_clear), None)
    return best


def _fit(reading: Reading, answers: Iterable[tuple[BestColumns, int, int]]) -> ReadingFit:
    telling = [(columns, column) for columns, _, column in answers if reading in columns]
    hits = sum(columns[reading] == column for columns, column in telling)
    right = sum(columns[Reading.RIGHT] == column for columns, column in telling)
    return ReadingFit(reading, hits, len(telling), right)


def telling_positions(rules: Ruleset) -> Iterator[Situation]:
    """Yield positions with a line in each direction, for each seat; always the same.

    A small board may have no room for all lines that tell misreadings apart.
    """
    table = line_table(rules)
    kinds: dict[str, list[Line]] = {}
    for line in table.lines:
        kinds.setdefault(_direction(rules, line), []).append(line)
    top = rules.rows - 1
    hanging = [line for line in table.lines if any(c % rules.rows == top for c in line)]
    for number, is_win in enumerate((True, True, False)):
        for kind, seat in product(kinds, range(2)):
            drawn = _Drawing(rules, seat, random.Random(f"{number} {kind} {seat}"))
            found = drawn.find(kinds[kind], hanging, is_win=is_win)
            if found is not None:
                player, time = ("bot", "") if is_win else ("opponent", " next")
                what = f"the {player} can make a line {kind}{time}"
                moves, columns = found
                yield Situation(what=what, moves=moves, columns=columns, is_win=is_win)


def _direction(rules: Ruleset, line: Line) -> str:
    (column, row), (next_column, next_row) = (divmod(cell, rules.rows) for cell in line[:2])
    if column == next_column:
        return "up"
    return "across" if row == next_row else "on a diagonal"


class _Drawing:
    """Draws positions in which chosen lines lack one disc."""

    def __init__(self, rules: Ruleset, seat: int, draw: random.Random) -> None:
        self._rules, self._draw = rules, draw
        self._table = line_table(rules)
        self._seat, self._own, self._other = seat, seat + 1, 2 - seat
        self._discs = [0, 0, 0]  # A bit set of cells for each content, see `Contents`.
        self._empty = 0  # A bit set too.
        self._gaps: dict[int, int] = {}  # The only possible heights of some columns.

    def find(
        self, lines: list[Line], hanging: list[Line], *, is_win: bool
    ) -> tuple[tuple[int, ...], BestColumns] | None:
        """Return moves to a position and its columns, of all readings if possible."""
        mine, upside_down = (lines, self._own, False), (hanging, self._own, True)
        theirs = (self._table.lines if is_win else lines, self._other, False)
        tells = {Reading.MIRRORED, *([Reading.EXCHANGED] if is_win else [])}
        ways: list[tuple[list[tuple[Sequence[Line], int, bool]], Set[Reading]]] = [
            ([upside_down, *([mine] if is_win else []), theirs], tells | {Reading.UPSIDE_DOWN}),
            ([mine, theirs] if is_win else [theirs], tells),
            ([mine if is_win else theirs], set()),
        ]
        for parts, needed in ways:
            for _ in range(DRAWS):
                cells = self._cells(parts)
                if cells is None:
                    continue
                columns = self._columns(cells, is_win=is_win)
                if columns and needed <= columns.keys() and (moves := self._order(cells)):
                    return moves, columns
        return None

    def _cells(self, parts: Iterable[tuple[Sequence[Line], int, bool]]) -> Contents | None:
        """Return a position with the parts (lines, player, at the top); None if it fails."""
        self._discs, self._empty, self._gaps = [0, 0, 0], 0, {}
        if not all(self._place(*part) for part in parts):
            return None
        rules, draw = self._rules, self._draw
        heights = [self._gaps.get(column, 0) for column in range(rules.columns)]
        wanted = {
            cell: player
            for player in (1, 2)
            for cell in range(rules.cells)
            if self._discs[player] >> cell & 1
        }
        for cell in wanted:
            column, row = divmod(cell, rules.rows)
            heights[column] = max(heights[column], row + 1)
        room = [c for c in range(rules.columns) if c not in self._gaps and heights[c] < rules.rows]
        for column in room:
            most = min(rules.rows, heights[column] + MORE_DISCS)
            heights[column] = draw.choice((heights[column], draw.randint(heights[column], most)))
        # Without this pattern, whose lines are short, discs drawn for a high board make lines.
        shift = draw.randrange(4)
        cells = [
            ((row + (column + shift) // 2) % 2 + 1) * (row < heights[column])
            for column, row in product(range(rules.columns), range(rules.rows))
        ]
        free = [cell for cell, disc in enumerate(cells) if disc and cell not in wanted]
        for cell, player in wanted.items():
            cells[cell] = player
        surplus = cells.count(1) - cells.count(2) - self._seat
        many = [cell for cell in free if cells[cell] == (1 if surplus > 0 else 2)]
        if surplus % 2 or len(many) < abs(surplus) // 2:
            return None
        for cell in draw.sample(many, abs(surplus) // 2):
            cells[cell] = 3 - cells[cell]
        return cells

    def _place(self, lines: Sequence[Line], player: int, at_top: bool) -> bool:
        """Want a line of a player that lacks the disc it can drop; False if none is found.

        `at_top` it lacks the top disc of an empty column.
        """
        rows, discs, empty = self._rules.rows, self._discs, self._empty
        for _ in range(CHOICES):
            line = self._draw.choice(lines)
            gap = self._draw.choice(line)
            column, row = divmod(gap, rows)
            if at_top:
                if row < rows - 1:
                    continue
                row = 0
            new = sum(1 << cell for cell in line if cell != gap)
            above = ((1 << rows) - (1 << row)) << column * rows
            if not new & (discs[3 - player] | empty | above) and not above & (
                discs[1] | discs[2] | empty
            ):
                discs[player] |= new
                self._empty |= above
                self._gaps[column] = row
                return True
        return False

    def _columns(self, cells: Contents, *, is_win: bool) -> BestColumns | None:
        """Return the column of each reading; None if the right one is not as wanted."""
        rows, last = self._rules.rows, self._rules.columns - 1
        for line in self._table.lines:
            if (disc := cells[line[0]]) and all(cells[cell] == disc for cell in line):
                return None
        right = self._choice(cells, self._own, self._other)
        if right is None or is_win != bool(self._completing(cells, self._own)):
            return None
        turned = [
            cell for c in range(last + 1) for cell in reversed(cells[c * rows : (c + 1) * rows])
        ]
        # Otherwise most bots that prefer an empty column would seem to see the board upside down.
        has_empty = cells[::rows].count(0) > 1
        has_room = not cells[(last - right) * rows + rows - 1]
        found: dict[Reading, int] = {}
        for reading, column in (
            (Reading.RIGHT, right),
            (Reading.EXCHANGED, self._choice(cells, self._other, self._own)),
            (
                Reading.UPSIDE_DOWN,
                self._choice(turned, self._own, self._other) if has_empty else None,
            ),
            (Reading.MIRRORED, last - right if has_room else None),
            (Reading.TOO_FAR_RIGHT, right + 1),
            (Reading.TOO_FAR_LEFT, right - 1),
        ):
            if column is not None and column not in found.values():
                found[reading] = column
        return found

    def _choice(self, cells: Contents, own: int, other: int) -> int | None:
        """Return the only column to win in, or else to save oneself in; None if several."""
        columns = self._completing(cells, own) or self._completing(cells, other)
        column = columns.pop() if len(columns) == 1 else None
        # Upside down, some bots take a column for full once it has a disc.
        is_open = column is not None and not cells[(column + 1) * self._rules.rows - 1]
        return column if is_open else None

    def _completing(self, cells: Contents, player: int) -> set[int]:
        """Return the columns in which a player completes a line.

        Upside down, discs hang from the top, and the lowest cell counts.
        """
        rows, lines = self._rules.rows, self._table.lines
        found = set()
        for column in range(self._rules.columns):
            stack = cells[column * rows : (column + 1) * rows]
            if 0 in stack:
                cell = column * rows + stack.index(0)
                through = (lines[index] for index in self._table.through[cell])
                if any(all(cells[c] == player for c in line if c != cell) for line in through):
                    found.add(column)
        return found

    def _order(self, cells: Contents) -> tuple[int, ...] | None:
        """Return columns that lead to a position, or None if they are not found."""
        rows = self._rules.rows
        stacks = [
            [disc for disc in reversed(cells[c * rows : (c + 1) * rows]) if disc]
            for c in range(self._rules.columns)
        ]
        moves: list[int] = []
        for ply in range(sum(map(len, stacks))):
            ready = [c for c, stack in enumerate(stacks) if stack and stack[-1] == ply % 2 + 1]
            if not ready:
                return None
            moves.append(max(ready, key=lambda c: len(stacks[c])))
            stacks[moves[-1]].pop()
        return tuple(moves)
