"""Positions that tell how a bot reads the board.

An interface's description can exchange the sides, turn the rows, or count the columns wrongly. In
most telling positions the bot can make a line, its opponent could make one elsewhere, and upside
down the bot would see a line in a third column. So the moves of a bot that looks one disc ahead
show how it reads the board. No column is full, and each is sometimes the right one: a bot that
always prefers the same columns fits no reading.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from arena.rules import Ruleset
from arena.rules.lines import line_table

WINS, SAVES = 14, 4  # Positions with a line to make, and with one to prevent.
DRAWS = 600  # Most positions drawn to find one.
CHOICES = 30  # Lines tried for each part of a position.
MORE_DISCS = 3  # Most further discs in a column.
FEWEST_HITS = 7

Gap = tuple[Sequence[int], int]  # A line and its cell without a disc.
Part = tuple[Sequence[Gap], int, int]  # Lines, their player, free rows below the gap.
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
    """Columns played so far."""

    columns: BestColumns = field(default_factory=dict)
    """In a telling position: the column that each reading leads to, if no earlier one does."""

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

        Of bots that move at random on seven columns, fewer than 1 in 10,000 fit any so well.
        """
        return self.hits >= max(FEWEST_HITS, 8 / 9 * self.positions)


def likeliest(answers: Sequence[tuple[BestColumns, int, int | None]]) -> ReadingFit | None:
    """Return how a bot reads the board, or None if its moves do not show it.

    `answers` are (columns of a position, the bot's seat, its move or None after a fault).
    """
    fits = [_fit(reading, answers) for reading in Reading]
    fits += [_fit(Reading.EXCHANGED, answers, seat) for seat in range(2)]
    clear = [each for each in fits if each.is_clear]
    return max(clear, key=lambda each: each.hits / each.positions, default=None)


def _fit(
    reading: Reading,
    answers: Sequence[tuple[BestColumns, int, int | None]],
    only: int | None = None,
) -> ReadingFit:
    telling = [
        (columns, column)
        for columns, seat, column in answers
        if reading in columns and only in (None, seat)
    ]
    hits = sum(columns[reading] == column for columns, column in telling)
    right = sum(columns[Reading.RIGHT] == column for columns, column in telling)
    return ReadingFit(reading, hits, len(telling), right, only)


def telling_positions(rules: Ruleset) -> Iterator[Situation]:
    """Yield positions for each seat, in all directions and columns; always the same.

    A small board may have no room for all lines that tell misreadings apart.
    """
    rows, top, by_place = rules.rows, rules.rows - 1, dict[int, dict[str, list[Gap]]]()
    for line in line_table(rules).lines:
        kind = {1: "up", rows: "across"}.get(line[1] - line[0], "on a diagonal")
        for gap in line:
            if all(cell % rows < top for cell in line if cell != gap):  # No column is full.
                kinds = by_place.setdefault(gap // rows, {})
                kinds.setdefault(kind, []).append((line, gap))
    gaps = [each for kinds in by_place.values() for found in kinds.values() for each in found]
    hanging = [(line, gap) for line, gap in gaps if gap % rows == top and line[1] - line[0] > 1]
    for number in range(WINS + SAVES):
        is_win, me, other = number < WINS, number % 2 + 1, 2 - number % 2
        column = number % 7 * rules.columns // 7
        here = by_place.get(column, {})
        if not here:
            continue
        kind = [*here][number % len(here)]
        parts = [(hanging, me, top), (here[kind], me if is_win else other, 0), (gaps, other, 0)]
        found = _best(rules, parts[: 2 + is_win], column, random.Random(number), is_win=is_win)
        if found is not None:
            player, time = ("bot", "") if is_win else ("opponent", " next")
            what = f"the {player} can make a line {kind}{time}"
            yield Situation(what=what, moves=found[0], columns=found[1], is_win=is_win)


def _best(
    rules: Ruleset, parts: Sequence[Part], column: int, draw: random.Random, *, is_win: bool
) -> tuple[tuple[int, ...], BestColumns] | None:
    """Return moves and columns of the drawn position that tells the most; None if none is right.

    The first part is what a bot would see upside down, for player `me`. A board may lack room for
    it, so every second position is drawn without it.
    """
    me, best, most = parts[0][1], None, (False, False, 0)
    for number in range(DRAWS):
        cells = _drawn(rules, parts[number % 2 :], me - 1, draw)
        columns = _columns(rules, cells, me, is_win=is_win) if cells else {}
        if not cells or columns.get(Reading.RIGHT) != column:
            continue
        tells = Reading.EXCHANGED in columns, Reading.UPSIDE_DOWN in columns, len(columns)
        if tells > most and (moves := _order(rules, cells)):
            best, most = (moves, columns), tells
            if tells >= (is_win, True):
                break
    return best


def _drawn(
    rules: Ruleset, parts: Sequence[Part], seat: int, draw: random.Random
) -> Contents | None:
    """Return a position with lines that lack a disc, for the seat to move; None if it fails."""
    rows = rules.rows
    wanted: dict[int, int] = {}
    for gaps, player, depth in parts:
        for line, gap in (draw.choice(gaps) for _ in range(CHOICES if gaps else 0)):
            free = range(gap - depth, gap - gap % rows + rows)
            new = dict.fromkeys(line, player) | dict.fromkeys(free, 0)
            if all(wanted.get(cell, disc) == disc for cell, disc in new.items()):
                wanted |= new
                break
    known = [
        [wanted.get(column * rows + row) for row in range(rows)] for column in range(rules.columns)
    ]
    least = [max((row + 1 for row in range(rows) if stack[row]), default=0) for stack in known]
    heights = [
        stack.index(0) if 0 in stack else draw.choice((low, min(rows - 1, low + MORE_DISCS)))
        for stack, low in zip(known, least, strict=True)
    ]
    loose = [c for c, stack in enumerate(known) if 0 not in stack and 0 < heights[c] < rows - 1]
    if (sum(heights) - seat) % 2 and not loose:
        return None
    if (sum(heights) - seat) % 2:
        heights[draw.choice(loose)] += 1
    # Without this pattern, whose lines are short, discs drawn for a high board make lines.
    cells, shift = [], draw.randrange(4)
    for column, height in enumerate(heights):
        pattern = [(row + (column + shift) // 2) % 2 + 1 for row in range(height)]
        cells += [known[column][row] or disc for row, disc in enumerate(pattern)]
        cells += [0] * (rows - height)
    surplus = cells.count(1) - cells.count(2) - seat
    many = 1 if surplus > 0 else 2
    free_to = [cell for cell, disc in enumerate(cells) if disc == many and cell not in wanted]
    if len(free_to) < abs(surplus) // 2:
        return None
    for cell in draw.sample(free_to, abs(surplus) // 2):
        cells[cell] = 3 - many
    return cells


def _columns(rules: Ruleset, cells: Contents, me: int, *, is_win: bool) -> BestColumns:
    """Return the column of each reading; {} if none is right."""
    rows, last = rules.rows, rules.columns - 1
    mine, theirs = (_completing(rules, cells, player) for player in (me, 3 - me))
    right, hanging = _only(mine or theirs), None
    if right is None or is_win != bool(mine):
        return {}
    if any({cells[cell] for cell in line} in ({1}, {2}) for line in line_table(rules).lines):
        return {}
    # Upside down, a column with a disc looks full. So only an empty one can tell, and others must
    # be empty too: else any bot that prefers empty columns would seem to see the board so.
    if cells[::rows].count(0) > 1:
        turned = [disc for c in range(0, rules.cells, rows) for disc in cells[c : c + rows][::-1]]
        hanging = _only(_completing(rules, turned, me) or _completing(rules, turned, 3 - me))
    found: dict[Reading, int] = {}
    for reading, column in (
        (Reading.RIGHT, right),
        (Reading.EXCHANGED, _only(theirs or mine)),
        (Reading.UPSIDE_DOWN, None if hanging is None or cells[hanging * rows] else hanging),
        (Reading.MIRRORED, last - right),
        (Reading.TOO_FAR_RIGHT, right + 1),
        (Reading.TOO_FAR_LEFT, right - 1),
    ):
        if column is not None and 0 <= column <= last and column not in found.values():
            found[reading] = column
    return found


def _only(columns: set[int]) -> int | None:
    return min(columns) if len(columns) == 1 else None


def _completing(rules: Ruleset, cells: Contents, player: int) -> set[int]:
    """Return the columns in which a player completes a line.

    If discs hang from the top, also those in which bots believe so that count a column's discs, or
    fill a cell that has a disc.
    """
    rows, found = rules.rows, set()
    drops = {c + rows - cells[c : c + rows].count(0) for c in range(0, rules.cells, rows)}
    for line in line_table(rules).lines:
        gaps = [cell for cell in line if cells[cell] != player]
        if len(gaps) == 1 and not cells[gaps[0]]:
            reached = [cell for cell in line if cell in drops or cell % rows == 0 == cells[cell]]
            found |= {cell // rows for cell in reached}
    return found


def _order(rules: Ruleset, cells: Contents) -> tuple[int, ...] | None:
    """Return columns that lead to a position, or None if they are not found."""
    rows = rules.rows
    starts = range(0, rules.cells, rows)
    stacks = [[disc for disc in cells[c : c + rows][::-1] if disc] for c in starts]
    moves: list[int] = []
    while any(stacks):
        ready = [c for c, stack in enumerate(stacks) if stack and stack[-1] == len(moves) % 2 + 1]
        if not ready:
            return None
        moves.append(max(ready, key=lambda c: len(stacks[c])))
        stacks[moves[-1]].pop()
    return tuple(moves)
