"""Classes of players whose strengths are known, and the games that they would play.

Strengths are drawn from a normal distribution. An opening favours the player who moves first by so
many Elo points, and it can suit some players better than others. All pairings play the same
openings, each twice with the sides swapped. Over the two games of an opening the expected share of
points is that of Bradley and Terry, 1 / (1 + 10^(-d / 400)) for a difference of d, however biased
the opening is: this is what a strength means here, and what `fit` estimates. The bias only moves
points from one of the two games to the other. Where openings suit players differently, it holds for
the mean over openings, to 0.005.

Draws follow Davidson (1970): draw² = ν² · win · loss. His model changes the expected score, so the
relation is solved here for the expected score that is already known.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from arena.statistics.bradley_terry import ELO, Evidence, Floats, Ints

_STRENGTHS, _GAMES, _SUITS = 0, 1, 2
"""First numbers of the seeds of the three kinds of random numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """The distribution from which classes and openings are drawn."""

    players: int = 30
    """Players of a class, without those in `house`."""

    spread: float = 250.0
    """Standard deviation of their strengths, in Elo points; their mean is 0."""

    house: tuple[float, ...] = ()
    """Strengths of further players, in Elo points; they come after the class."""

    bias: float = 100.0
    """Standard deviation of the openings' advantage for the first player, in Elo points."""

    suits: float = 0.0
    """Standard deviation of how much an opening suits a player, in Elo points: by so much it is
    stronger or weaker there than on average."""

    draws: float = 0.1
    """Share of draws between equals in a fair opening, from 0 to under 1."""

    repeats: float = 0.0
    """Chance that a pairing's games of a later opening end as those of its first opening did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticResults:
    """Results of all pairings in some openings."""

    players: int
    """Number of players, those in `house` included."""

    one: Ints
    """One player of each of the m pairings, the lower index; pairings are in the order of
    `np.triu_indices`."""

    other: Ints
    """The other player of each pairing."""

    points: Floats
    """Points of `one`, openings × m × 2: in the game in which it moves first, and in the other."""

    def evidence(self, start: int = 0, stop: int | None = None) -> Evidence:
        """Return the evidence of all pairings in the openings from `start` to before `stop`."""
        points = self.points[start:stop].sum(axis=2)
        return self._evidence(np.tile(np.arange(len(self.one)), len(points)), points.ravel())

    def evidence_of(self, pairings: ArrayLike, openings: ArrayLike) -> Evidence:
        """Return the evidence of single opening pairs: each an entry of both arrays."""
        chosen = np.asarray(pairings, dtype=np.int64)
        points = self.points[np.asarray(openings, dtype=np.int64), chosen].sum(axis=1)
        return self._evidence(chosen, points)

    def _evidence(self, pairings: Ints, points: Floats) -> Evidence:
        two = np.full(len(pairings), 2.0)
        one, other = self.one[pairings], self.other[pairings]
        return Evidence.of(self.players, one, other, (two, two), (points, 2 - points))


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticClass:
    """A class of players of known strength."""

    population: Population
    """The distribution it was drawn from."""

    seed: int
    """The seed it was drawn with."""

    elo: Floats
    """The players' strengths in Elo points, an array of n; those of `house` come last."""

    def play(self, openings: int, seed: int = 1) -> SyntheticResults:
        """Play so many openings, those of this seed.

        The first of them have the same results whatever their number is.
        """
        one, other = np.triu_indices(len(self.elo), 1)
        points = np.empty((openings, len(one), 2))
        for opening in range(openings):
            random = np.random.default_rng((_GAMES, self.seed, seed, opening))
            bias = self.population.bias / ELO * random.standard_normal()
            strengths = self._strengths(opening, seed)
            expected = expected_scores(strengths[one] - strengths[other], bias)
            drawn = draw_shares(expected, self.population.draws)
            chance = random.random(expected.shape)
            won, unbeaten = chance < expected - drawn / 2, chance < expected + drawn / 2
            points[opening] = np.add(won, unbeaten, dtype=np.float64) / 2
            if self.population.repeats and opening:
                repeated = random.random(len(one)) < self.population.repeats
                points[opening, repeated] = points[0, repeated]
        return SyntheticResults(players=len(self.elo), one=one, other=other, points=points)

    def _strengths(self, opening: int, seed: int) -> Floats:
        """Return the players' strengths in one opening, as natural logarithms of odds."""
        elo: Floats = self.elo / ELO
        suits = self.population.suits / float(ELO)
        if not suits:
            return elo
        # by so much are the strengths of one opening farther apart than they seem over many, with
        # the logistic curve taken for a normal one (MacKay 1992, the evidence framework)
        stretched = elo * sqrt(1 + pi / 8 * 2 * suits**2)
        random = np.random.default_rng((_SUITS, self.seed, seed, opening))
        strengths: Floats = stretched + suits * random.standard_normal(len(elo))
        return strengths


def draw_class(population: Population, seed: int) -> SyntheticClass:
    """Draw a class: the same one for the same seed."""
    random = np.random.default_rng((_STRENGTHS, seed))
    students = random.normal(0, population.spread, population.players)
    elo = np.concatenate([students, population.house])
    return SyntheticClass(population=population, seed=seed, elo=elo)


def expected_scores(difference: Floats, bias: float | Floats) -> Floats:
    """Return what a player expects in the two games of an opening, as first and as second.

    `difference`, of any shape, is by how much the player is the stronger, `bias` (one for all, or
    of the same shape) the opening's advantage for the first player; both are natural logarithms of
    odds. The result has a last axis of 2, over which the mean is 1 / (1 + exp(-difference)).
    """
    # ½ (σ(x + b) + σ(x - b)) = σ(d), solved for x
    level = difference / 2 + np.arcsinh(np.cosh(bias) * np.sinh(difference / 2))
    scores: Floats = 1 / (1 + np.exp(-np.stack([level + bias, level - bias], axis=-1)))
    return scores


def draw_shares(expected: Floats, draws: float) -> Floats:
    """Return how likely games are drawn, by the score that is expected of one of the players.

    `draws` is the share of draws where that is ½, from 0 to under 1.
    """
    # d² = ν² (e - d/2) (1 - e - d/2), solved for d; at e = ½ it says d = ν / (2 + ν)
    squared = (2 * draws / (1 - draws)) ** 2
    odds = expected * (1 - expected)
    root = np.sqrt(squared**2 / 4 + (4 - squared) * squared * odds)
    shares: Floats = 2 * squared * odds / np.maximum(squared / 2 + root, np.finfo(float).tiny)
    return shares
