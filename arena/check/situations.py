"""Positions in which bots often fail: full columns, the last cells, lines.

All are legal on the contest's board; kinds that it does not have are left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from arena.rules import Position, Ruleset
from arena.rules.lines import line_table

DISCS_TRIED, TRIES = 4_000, 40  # Limits of the search for one position.
LINE_DISCS_TRIED = 12_000  # Limit for all positions with lines.
LINE_KINDS = 12  # Across, up or diagonal; the bot's or its opponent's; either side to move.

# Discs go into so many more columns than a line has: on all columns of a wide board they would be
# too far apart.
SPARE_COLUMNS = 3
LAST_CELLS = 4  # Most free cells of a nearly full board.
QUICK_PLIES = 4  # Plies of the longest opening of a quick game.
Heights = Callable[[random.Random], list[int]]  # Draws the number of discs in each column.


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A position with the bot to move."""

    what: str
    """Its special feature, as a clause."""

    moves: tuple[int, ...]
    """Columns played so far."""

    wins: frozenset[int] = frozenset()
    """Columns that complete the bot's line, if the position is about that."""

    saves: frozenset[int] = frozenset()
    """Column of the opponent's next line, if the position is about that."""

    @property
    def seat(self) -> int:
        """0 if the bot moves first from the empty board, else 1."""
        return len(self.moves) % 2


@cache
def situations(rules: Ruleset) -> tuple[Situation, ...]:
    """Return the positions of all kinds that a board has; they are always the same.

    The most useful come first, for bots that are too slow for all.
    """
    found: dict[tuple[int, ...], Situation] = {}
    crowded = list(_crowded(rules))
    half = len(crowded) // 2
    for situation in (*crowded[:half], *_line_in_one(rules), *crowded[half:]):
        found.setdefault(situation.moves, situation)
    return tuple(found.values())


def quick_openings(rules: Ruleset, seed: int, count: int) -> list[tuple[int, ...]]:
    """Return `count` random short openings without a line."""
    rng = random.Random(seed)
    longest = min(QUICK_PLIES, rules.cells // 4)
    openings = []
    for _ in range(count):
        position = Position(rules)
        for _ in range(rng.randint(0, longest)):
            column = rng.choice(position.legal())
            if not position.wins_at(column, position.to_move):
                position.play(column)
        openings.append(position.moves)
    return openings


def _crowded(rules: Ruleset) -> Iterator[Situation]:
    columns = rules.columns
    places = {"left": 0, "right": columns - 1, "middle": columns // 2}
    kinds: dict[str, Heights] = {}
    for name, column in places.items():
        kinds[f"the {name} column is full"] = partial(_one_full, rules, column)
        kinds[f"only the {name} column has room"] = partial(_one_left, rules, column)
    for left in range(1, LAST_CELLS + 1):
        what = "one cell is left" if left == 1 else f"{left} cells are left"
        kinds[what] = partial(_last_cells, rules, left)
    for turn in range(2):
        for index, (what, heights) in enumerate(kinds.items()):
            if (position := _filled(rules, (index + turn) % 2, heights)) is not None:
                yield Situation(what=what, moves=position.moves)


def _one_full(rules: Ruleset, column: int, rng: random.Random) -> list[int]:
    heights = [rng.randint(0, max(rules.rows - 1, 1)) for _ in range(rules.columns)]
    heights[column] = rules.rows
    return heights


def _one_left(rules: Ruleset, column: int, rng: random.Random) -> list[int]:
    heights = [rules.rows] * rules.columns
    heights[column] = rng.randrange(rules.rows)
    return heights


def _last_cells(rules: Ruleset, left: int, rng: random.Random) -> list[int]:
    heights = [rules.rows] * rules.columns
    for _ in range(min(left, rules.cells)):
        column = rng.choice([column for column, height in enumerate(heights) if height])
        heights[column] -= 1
    return heights


def _filled(rules: Ruleset, seat: int, draw_heights: Heights) -> Position | None:
    """Return an unfinished position with random heights, preferably without a possible line."""
    rng = random.Random(seat)
    fallback = None
    for _ in range(min(DISCS_TRIED // rules.cells + 1, TRIES)):
        heights = draw_heights(rng)
        if sum(heights) % 2 != seat or sum(heights) == rules.cells:
            continue
        position = _stacked(rules, heights, rng)
        if position is not None and _is_quiet(position):
            return position
        fallback = fallback or position
    return fallback


def _stacked(rules: Ruleset, heights: list[int], rng: random.Random) -> Position | None:
    """Return a position with these heights, reached legally without a line, or None.

    Prefers a pattern without lines: alternating pairs of columns.
    """
    position = Position(rules)
    left = list(heights)
    order = list(range(rules.columns))
    for ply in range(sum(heights)):
        seat = ply % 2
        first = rng.randrange(rules.columns)
        columns = [c for c in order[first:] + order[:first] if left[c]]
        columns.sort(key=lambda c: (heights[c] - left[c] + c // 2) % 2 != seat)
        safe = (column for column in columns if not position.wins_at(column, seat))
        column = next(safe, None)
        if column is None:
            return None
        position.play(column)
        left[column] -= 1
    return position


def _line_in_one(rules: Ruleset) -> Iterator[Situation]:
    if not line_table(rules).lines:
        return
    width = min(rules.columns, rules.connect + SPARE_COLUMNS)
    found: dict[tuple[str, int], Situation] = {}
    rng = random.Random(0)
    tried = 0
    while tried < LINE_DISCS_TRIED and len(found) < LINE_KINDS:
        first = rng.randint(0, rules.columns - width)
        position = Position(rules)
        while not position.is_over:
            near = [c for c in range(first - 1, first + width + 1) if position.can_play(c)]
            if (situation := _about_a_line(position, near)) is not None:
                found.setdefault((situation.what, situation.seat), situation)
            within = (c for c in near if first <= c < first + width)
            safe = [c for c in within if not position.wins_at(c, position.to_move)]
            if not safe:
                break
            tried += 1
            position.play(rng.choice(safe))
    yield from found.values()


def _about_a_line(position: Position, near: list[int]) -> Situation | None:
    """Return the position if one `near` column makes a line for the bot, or else the opponent."""
    me = position.to_move
    mine = [column for column in near if position.wins_at(column, me)]
    if len(mine) == 1:
        what = f"the bot can make a line {_direction(position, mine[0], me)}"
        return Situation(what=what, moves=position.moves, wins=frozenset(mine))
    theirs = [] if mine else [c for c in near if position.wins_at(c, 1 - me)]
    if len(theirs) == 1:
        what = f"the opponent can make a line {_direction(position, theirs[0], 1 - me)} next"
        return Situation(what=what, moves=position.moves, saves=frozenset(theirs))
    return None


def _direction(position: Position, column: int, player: int) -> str:
    rack = position.rack()
    row = rack[column].index(0)
    cell = column * position.rules.rows + row
    table = line_table(position.rules)
    for line in (table.lines[index] for index in table.through[cell]):
        others = [divmod(c, position.rules.rows) for c in line if c != cell]
        if all(rack[c][r] == player + 1 for c, r in others):
            near_column, near_row = others[0]
            if near_column == column:
                return "up"
            return "across" if near_row == row else "on a diagonal"
    raise AssertionError("no line there")


def _is_quiet(position: Position) -> bool:
    return not any(position.wins_at(c, player) for c in position.legal() for player in (0, 1))
