"""The field: what grades are computed from, in arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.statistics import ELO, Ratings
from arena.statistics.bradley_terry import Floats, Ints

Bools = NDArray[np.bool_]

SHARES = np.arange(5) / 4
"""What an opening pair can bring a bot, 0 to 2 points, as shares of its points."""

DIGITS = 9
"""Decimals to which shares are compared."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    """The n bots of a contest, as far as grades depend on them.

    A bot's index in the arrays is that of its name in `bots`.
    """

    bots: tuple[str, ...]
    """Their names."""

    house: frozenset[str]
    """Those of them that are house players; they get no grade."""

    ranks: Ints
    """Their ranks from 1, which is best; ties share a rank."""

    groups: Ints
    """For each bot a number that bots share if they are the same: they get the same grade."""

    ratings: Ratings
    """Their ratings with the covariance."""

    pairs: Mapping[str, Floats] = field(default_factory=dict)
    """For house players: how many opening pairs brought each bot 0, ½, 1, 1½ or 2 points against
    them, n × 5."""

    openings: int
    """Openings that were played."""

    failing: frozenset[str] = frozenset()
    """Those that lost every game by a fault of their own."""

    @property
    def students(self) -> Bools:
        """The bots that are graded, as a mask."""
        return ~self.mask(self.house)

    def mask(self, names: Collection[str]) -> Bools:
        """Return which of the bots have one of these names."""
        return np.array([bot in names for bot in self.bots], dtype=bool)

    def index(self, bot: str) -> int:
        """Return the index of a bot."""
        return self.bots.index(bot)

    def shares(self, player: str) -> Floats:
        """Return each bot's share of points against a house player; NaN where they did not meet."""
        pairs = self.pairs[player]
        met = pairs.sum(axis=1)
        shares = np.full(len(self.bots), np.nan)
        np.divide(pairs @ SHARES, met, out=shares, where=met > 0)
        return shares.round(DIGITS)


def ranks_of(elo: Floats) -> Ints:
    """Return the ranks of bots by their ratings; equal ones share a rank."""
    return 1 + len(elo) - np.searchsorted(np.sort(elo), elo, side="right")


def field_by_rating(
    bots: Sequence[str],
    house: Sequence[str],
    ratings: Ratings,
    openings: int,
    pairs: Mapping[str, Floats] | None = None,
) -> Field:
    """Return a field of bots of which no two are the same, ranked by their ratings."""
    return Field(
        bots=tuple(bots),
        house=frozenset(house),
        ranks=ranks_of(ratings.elo),
        groups=np.arange(len(bots)),
        ratings=ratings,
        pairs=pairs or {},
        openings=openings,
    )


def true_field(bots: Sequence[str], house: Sequence[str], elo: ArrayLike, openings: int) -> Field:
    """Return the field of bots whose strengths are known, with the scores that are expected.

    Nothing in it is left to luck: a rule gives the bots the grades that they deserve by it.
    """
    strengths = np.asarray(elo, dtype=np.float64)
    pairs = {}
    for player in house:
        expected = 1 / (1 + np.exp((strengths[list(bots).index(player)] - strengths) / ELO))
        pairs[player] = np.zeros((len(bots), len(SHARES)))
        pairs[player][:, 0], pairs[player][:, -1] = 1 - expected, expected
    certain = Ratings(elo=strengths, covariance=np.zeros((len(bots), len(bots))))
    return field_by_rating(bots, house, certain, openings, pairs)
