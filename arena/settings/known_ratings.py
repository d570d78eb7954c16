"""The known ratings of house players, measured once and shipped with Arena.

`arena lab scale --csv` makes the table. A contest records its board's ratings when it begins, so a
later table changes no contest.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.common.errors import InputError
from arena.common.names import YARDSTICK
from arena.rules import Ruleset

TABLE = Path(__file__).parent / "shipped" / "house.csv"
ON_SCALE = 6  # House players of a contest whose grades are on the scale.


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRating:
    """A row of the table; a field is a column."""

    board: str
    """The rules, as text."""

    player: str

    rating: float
    """`reference` has 1500."""

    error: float
    """Half the width of the 95 % interval of the difference to `reference`."""

    games: int
    """Number of games of this player in the measurement."""


@cache
def known_ratings(rules: Ruleset, table: Path = TABLE) -> Mapping[str, KnownRating]:
    """Return the ratings known for these rules, from weak to strong; may be empty."""
    found = [row for row in read_table(table) if row.board == str(rules)]
    return {row.player: row for row in sorted(found, key=lambda row: row.rating)}


def read_table(table: Path) -> list[KnownRating]:
    """Read a table. Raises InputError."""
    try:
        with table.open(encoding="utf-8", newline="") as file:
            return [
                KnownRating(
                    board=row["board"],
                    player=row["player"],
                    rating=float(row["rating"]),
                    error=float(row["error"]),
                    games=int(row["games"]),
                )
                for row in csv.DictReader(file)
            ]
    except (KeyError, TypeError, ValueError):
        said = "is no table that arena lab scale made; name another file"
        raise InputError(f"{table}: {said}") from None


def spread_evenly(ratings: Mapping[str, float], number: int = ON_SCALE) -> tuple[str, ...]:
    """Return the players up to `reference` whose ratings divide the scale most evenly."""
    most = ratings.get(YARDSTICK, max(ratings.values(), default=0.0))
    known = sorted((rating, name) for name, rating in ratings.items() if rating <= most)
    if len(known) <= number:
        return tuple(name for _, name in known)
    low = known[0][0]
    chosen: dict[str, None] = {}
    for place in range(number):
        wanted = low + (most - low) * place / (number - 1)
        _, name = min(known, key=lambda each: abs(each[0] - wanted))
        chosen[name] = None
    return tuple(chosen)
