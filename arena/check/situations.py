"""Positions in which bots often fail: full columns, the last cells, a line about to be made.

All are reached by legal play on the contest's own board, with the bot to move. A kind of position
that the board does not have is left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from arena.rules import Position, Ruleset
from arena.rules.lines import line_table

DISCS_TRIED, TRIES = 4_000, 40
"""Discs that are dropped to find one position, and how often it is begun anew, before the board is
taken to have none."""

LINE_DISCS_TRIED = 12_000
"""The same for all positions about a line."""

LINE_KINDS = 12
"""Positions about a line: across, up and on a diagonal, the bot's and its opponent's, either side.
"""

SPARE_COLUMNS = 3
"""Columns beside those of a line, within which a line is waited for: wide boards are empty."""

LAST_CELLS = 4
"""Cells that are left in the emptiest of the positions of a board that is nearly full."""

QUICK_PLIES = 4
"""Plies of the longest opening of a quick game."""

Heights = Callable[[random.Random], list[int]]
"""Draws how many discs are to be in each column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A position with the bot to move."""

    what: str
    """Its special feature, a clause."""

    moves: tuple[int, ...]
    """The columns played until then."""

    wins: frozenset[int] = frozenset()
    """Columns that make a line for the bot at once, if the position is about them."""

    saves: frozenset[int] = frozenset()
    """The column in which the opponent would make a line next, if it is about that."""

    @property
    def seat(self) -> int:
        """0 if the bot has the first disc of the game, else 1."""
        return len(self.moves) % 2


@cache
def situations(rules: Ruleset) -> tuple[Situation, ...]:
    """The positions of every kind that a board has, for either side; always the same ones.

    First those that show most, for bots that have no time for all.
    """
    found: dict[tuple[int, ...], Situation] = {}
    crowded = list(_crowded(rules))
    half = len(crowded) // 2
    for situation in (*crowded[:half], *_line_in_one(rules), *crowded[half:]):
        found.setdefault(situation.moves, situation)
    return tuple(found.values())


def quick_openings(rules: Ruleset, seed: int, count: int) -> list[tuple[int, ...]]:
    """Openings of a few random discs, after which the game is on."""
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
    """Full columns at the edges and in the middle, a single column left, the last cells."""
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
    """A position with columns of such heights and that side to move, the game being on.

    One in which nobody can make a line at once, if that is found: a bot's eye is not to be drawn
    away from what the position is about.
    """
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
    """Legal play without a line to columns of these heights; None where it runs into one.

    It takes cells that are the player's in a pattern without lines, pairs of columns that
    alternate, as long as there are any.
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
    """Lines across, up and on a diagonal that the bot, or else its opponent, can make at once."""
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
    """The position, if there is one column with a line for the bot, or none and one for the other.

    `near` are the free columns in which there can be any.
    """
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
    """Where a line of that player's leads that a disc in this column would complete."""
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
