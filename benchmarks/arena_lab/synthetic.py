"""Classes of players of known strength, and games that they would play.

Strengths follow a normal distribution. An opening favours the first player by some Elo points, and
may suit some players better than others. As in a contest, pairings share some openings and draw the
others from a pool (`arena.openings.pool`), and play each twice with sides swapped.

Over both games of an opening the expected share of points is that of Bradley and Terry, 1 / (1 +
10^(-d / 400)) for a difference of d, for any bias. This defines strength here, and `fit` estimates
it. The bias only moves points between the two games. If openings suit players differently, the
formula holds for the mean over openings, to 0.005.

Draws follow Davidson (1970): draw² = ν² · win · loss. His model changes the expected score, so the
relation is solved here for a given expected score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.openings.drawing import BLOCK
from arena.openings.pool import ALL, drawn, pool_size
from arena.statistics.bradley_terry import ELO, Evidence, Floats, Ints

_STRENGTHS, _GAMES, _SUITS = 0, 1, 2  # First numbers of the seeds.


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """The distribution of classes and openings."""

    players: int = 30
    """Players of a class, without house players."""

    spread: float = 250.0
    """Standard deviation of their strengths in Elo points; their mean is 0."""

    house: tuple[float, ...] = ()
    """Strengths of house players in Elo points; they come after the class."""

    bias: float = 100.0
    """Standard deviation of an opening's advantage for the first player, in Elo points."""

    suits: float = 0.0
    """Standard deviation of a player's strength over openings, in Elo points."""

    draws: float = 0.1
    """Share of draws between equal players in a fair opening, 0 to under 1."""

    repeats: float = 0.0
    """Chance that a pairing's later opening ends as the pairing's first one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticResults:
    players: int
    """Number of players, house players included."""

    one: Ints
    """The player with the lower index of each of the m pairings, ordered as `np.triu_indices`."""

    other: Ints
    """The other player of each pairing."""

    opening: NDArray[np.int32]
    """The number of each opening in the pool, openings × m."""

    points: Floats
    """Points of `one`, openings × m × 2: in the game where `one` moves first, and second."""

    def first(self, openings: int) -> SyntheticResults:
        """Return the results of each pairing's first openings only."""
        return replace(self, opening=self.opening[:openings], points=self.points[:openings])

    def shuffled(self, last: Sequence[int] = ()) -> SyntheticResults:
        """Return the results with each pairing's openings in an order of its own.

        The openings at the places `last` come last.
        """
        draws = np.random.default_rng(0).random(self.opening.shape)
        draws[list(last)] += 1
        order = draws.argsort(axis=0)
        opening = np.take_along_axis(self.opening, order, axis=0)
        points = np.take_along_axis(self.points, order[:, :, None], axis=0)
        return replace(self, opening=opening, points=points)

    def without(self, player: int) -> SyntheticResults:
        """Return the results among the others; players after this one move up."""
        kept = (self.one != player) & (self.other != player)
        one, other = self.one[kept], self.other[kept]
        return SyntheticResults(
            players=self.players - 1,
            one=one - (one > player),
            other=other - (other > player),
            opening=self.opening[:, kept],
            points=self.points[:, kept],
        )

    def evidence(self, start: int = 0, stop: int | None = None) -> Evidence:
        """Return the evidence of all pairings in the openings `start` to `stop` - 1."""
        points = self.points[start:stop].sum(axis=2)
        return self._evidence(np.tile(np.arange(len(self.one)), len(points)), points.ravel())

    def evidence_of(self, pairings: ArrayLike, openings: ArrayLike) -> Evidence:
        """Return the evidence of opening pairs; each index of both arrays is a pair."""
        chosen = np.asarray(pairings, dtype=np.int64)
        points = self.points[np.asarray(openings, dtype=np.int64), chosen].sum(axis=1)
        return self._evidence(chosen, points)

    def _evidence(self, pairings: Ints, points: Floats) -> Evidence:
        two = np.full(len(pairings), 2.0)
        one, other = self.one[pairings], self.other[pairings]
        return Evidence.of(self.players, one, other, (two, two), (points, 2 - points))


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticClass:
    population: Population
    seed: int

    elo: Floats
    """Array of n strengths in Elo points; house players come last."""

    def play(self, openings: int, seed: int = 1, shared: int = ALL) -> SyntheticResults:
        """Return the results of `openings` openings of each pairing, drawn with this seed.

        All pairings share as many of them as in a contest with `shared_openings = shared`. The
        results of an opening do not depend on how many openings follow.
        """
        one, other = np.triu_indices(len(self.elo), 1)
        pairs = [(str(a), str(b)) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
        pool = pool_size(openings, shared, BLOCK)
        chosen = drawn(seed, pairs, openings, shared, BLOCK, pool).T
        advantages = self._advantages(pool, seed)
        suited = np.stack([self._strengths(opening, seed) for opening in range(pool)])
        points = np.empty((openings, len(one), 2))
        for opening, numbers in enumerate(chosen):
            random = self._random(opening, seed)
            random.standard_normal()  # the advantage of the opening with this number
            differences = suited[numbers, one] - suited[numbers, other]
            expected = expected_scores(differences, advantages[numbers])
            half = draw_shares(expected, self.population.draws) / 2
            chance = random.random(expected.shape)
            won, unbeaten = chance < expected - half, chance < expected + half
            points[opening] = np.add(won, unbeaten, dtype=np.float64) / 2
            if self.population.repeats and opening:
                repeated = random.random(len(one)) < self.population.repeats
                points[opening, repeated] = points[0, repeated]
        return SyntheticResults(
            players=len(self.elo), one=one, other=other, opening=chosen, points=points
        )

    def _random(self, opening: int, seed: int) -> np.random.Generator:
        return np.random.default_rng((_GAMES, self.seed, seed, opening))

    def _advantages(self, openings: int, seed: int) -> Floats:
        """Return each opening's advantage for the first player, as a logarithm of odds."""
        firsts = [self._random(opening, seed).standard_normal() for opening in range(openings)]
        return self.population.bias / float(ELO) * np.array(firsts)

    def _strengths(self, opening: int, seed: int) -> Floats:
        """Return the players' strengths in one opening, as natural logarithms of odds."""
        elo: Floats = self.elo / ELO
        suits = self.population.suits / float(ELO)
        if not suits:
            return elo
        # strengths in one opening are farther apart than they seem over many; this factor takes
        # the logistic curve for a normal one (MacKay 1992, the evidence framework)
        stretched = elo * sqrt(1 + pi / 8 * 2 * suits**2)
        random = np.random.default_rng((_SUITS, self.seed, seed, opening))
        strengths: Floats = stretched + suits * random.standard_normal(len(elo))
        return strengths


def draw_class(population: Population, seed: int) -> SyntheticClass:
    """Draw a class; equal seeds yield equal classes."""
    random = np.random.default_rng((_STRENGTHS, seed))
    students = random.normal(0, population.spread, population.players)
    elo = np.concatenate([students, population.house])
    return SyntheticClass(population=population, seed=seed, elo=elo)


def expected_scores(difference: Floats, bias: float | Floats) -> Floats:
    """Return a player's expected scores in an opening's two games.

    `difference`, of any shape, is by how much the player is stronger. `bias` (one number, or of the
    same shape) is the opening's advantage for the first player. Both are natural logarithms of
    odds. The result has a last axis of 2, for the player as first and as second; its mean is 1 / (1
    + exp(-difference)).
    """
    # ½ (σ(x + b) + σ(x - b)) = σ(d), solved for x
    level = difference / 2 + np.arcsinh(np.cosh(bias) * np.sinh(difference / 2))
    scores: Floats = 1 / (1 + np.exp(-np.stack([level + bias, level - bias], axis=-1)))
    return scores


def draw_shares(expected: Floats, draws: float) -> Floats:
    """Return the probabilities of a draw, given one player's expected scores.

    `draws` is the probability at an expected score of ½, 0 to under 1.
    """
    # d² = ν² (e - d/2) (1 - e - d/2), solved for d; at e = ½, d = ν / (2 + ν)
    squared = (2 * draws / (1 - draws)) ** 2
    odds = expected * (1 - expected)
    root = np.sqrt(squared**2 / 4 + (4 - squared) * squared * odds)
    shares: Floats = 2 * squared * odds / np.maximum(squared / 2 + root, np.finfo(float).tiny)
    return shares
