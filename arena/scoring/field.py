"""The field: a contest's bots and results, as arrays for computing grades."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arena.statistics.bradley_terry import Floats, Ints, Ratings

Bools = NDArray[np.bool_]
SHARES = np.arange(5) / 4  # An opening pair's results, 0 to 2 points, as shares.
DIGITS = 9  # decimals of shares, so that rounding errors miss no threshold


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    """The n bots of a contest; arrays have the order of `bots`."""

    bots: tuple[str, ...]
    house: frozenset[str]

    ranks: Ints
    """Ranks, 1 for the best; tied bots share a rank."""

    groups: Ints
    """A number for each bot, equal for identical bots, which get the same grade."""

    ratings: Ratings

    pairs: Mapping[str, Floats] = field(default_factory=dict)
    """By house player, n × 5: opening pairs in which each bot scored 0, ½, 1, 1½, 2 points against
    it."""

    failing: frozenset[str] = frozenset()
    """Bots that lost every game through their own faults."""

    @property
    def students(self) -> Bools:
        return ~self.mask(self.house)

    def mask(self, names: Collection[str]) -> Bools:
        return np.array([bot in names for bot in self.bots], dtype=bool)

    def index(self, bot: str) -> int:
        return self.bots.index(bot)

    def shares(self, player: str) -> Floats:
        """Return bots' shares of points against a house player; NaN without games."""
        pairs = self.pairs[player]
        met = pairs.sum(axis=1)
        shares = np.full(len(self.bots), np.nan)
        np.divide(pairs @ SHARES, met, out=shares, where=met > 0)
        return shares.round(DIGITS)


def ranks_of(elo: Floats) -> Ints:
    """Return ranks by rating; equal ratings share a rank."""
    return 1 + len(elo) - np.searchsorted(np.sort(elo), elo, side="right")


def field_by_rating(
    bots: Sequence[str],
    house: Sequence[str],
    ratings: Ratings,
    pairs: Mapping[str, Floats] | None = None,
) -> Field:
    """Return a field ranked by rating, in which no two bots are identical."""
    return Field(
        bots=tuple(bots),
        house=frozenset(house),
        ranks=ranks_of(ratings.elo),
        groups=np.arange(len(bots)),
        ratings=ratings,
        pairs=pairs or {},
    )
