"""Positions in which a bot's move shows how it reads the board.

An interface's description can exchange the sides, turn the rows, or count the columns wrongly. In
most telling positions the bot can make a line, and its opponent could make one elsewhere. So the
moves of a bot that looks one disc ahead show how it reads the board. No column is full, and each is
sometimes the right one, so that a fixed preference fits no reading.

A bot that sees the board upside down finds no line. It is asked again with turned rows.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import NamedTuple

from arena.rules import Position, Ruleset

WINS, SAVES = 14, 4  # Positions with a line to make, and with one to prevent.
GAMES = 1000  # Most random games that are looked through for them.
MOST_PLIES = 60
FEWEST_HITS = 7


class Reading(Enum):
    RIGHT = "right"
    EXCHANGED = "sides exchanged"
    UPSIDE_DOWN = "upside down"
    MIRRORED = "left and right exchanged"
    TOO_FAR_RIGHT = "one column too far to the right"
    TOO_FAR_LEFT = "one column too far to the left"


BestColumns = Mapping[Reading, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
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
    """How many of a bot's moves in telling positions fit a reading."""

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
    """Return how a bot reads the board, if (columns, seat, move or None) show it."""
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


def turned(description: str) -> str:
    """Return the JSON of a description that shows the rows the other way round."""
    read = json.loads(description)
    board = read.setdefault("board", {})
    board["top"] = not board.get("top", True)
    return json.dumps(read, sort_keys=True)


def telling_positions(rules: Ruleset) -> Iterator[Situation]:
    draw, found = random.Random(1), dict[int, Situation]()
    parts = min(rules.columns, 7)
    places = [(number < WINS, number % 2, number % parts) for number in range(WINS + SAVES)]
    for _ in range(GAMES):
        position = Position(rules)
        while len(position.legal()) == rules.columns and position.ply < MOST_PLIES:
            me = position.to_move
            mine, theirs = (
                [column for column in range(rules.columns) if position.wins_at(column, player)]
                for player in (me, 1 - me)
            )
            if len(mine) <= 1 == len(theirs) and mine != theirs:
                is_win, right = bool(mine), (mine or theirs)[0]
                place = is_win, me, right * parts // rules.columns
                fitting = (n for n, each in enumerate(places) if each == place and n not in found)
                for number in islice(fitting, 1):
                    found[number] = _situation(position, right, theirs[0], is_win=is_win)
            quiet = [column for column in range(rules.columns) if column not in mine]
            if not quiet:
                break
            position.play(draw.choice(quiet))
        if len(found) == len(places):
            break
    yield from (found[number] for number in sorted(found))


def _situation(position: Position, right: int, other: int, *, is_win: bool) -> Situation:
    last, found = position.rules.columns - 1, dict[Reading, int]()
    for reading, column in (
        (Reading.RIGHT, right),
        (Reading.EXCHANGED, other),
        (Reading.MIRRORED, last - right),
        (Reading.TOO_FAR_RIGHT, right + 1),
        (Reading.TOO_FAR_LEFT, right - 1),
    ):
        if 0 <= column <= last and column not in found.values():
            found[reading] = column
    what = "the bot can make a line" if is_win else "the opponent can make a line next"
    return Situation(what=what, moves=position.moves, columns=found, is_win=is_win)
