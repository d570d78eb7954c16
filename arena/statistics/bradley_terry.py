"""Ratings by the model of Bradley and Terry, with the sandwich estimate of their covariance.

Player i beats j with the probability 1 / (1 + exp(θ_j − θ_i)); a draw counts as half a win. The
covariance is A⁻¹ B A⁻ᵀ with A the derivative of the estimating equations and B the sum of the
outer products of what each opening pair adds to them (Huber 1967, White 1980; clusters: Liang and
Zeger 1986), so that it holds though the two games of an opening are not independent.

Alone, that estimate is too small where there is little evidence, and almost zero for a player that
won or drew everything. Two additions mend it:

- An opening pair helped to make the ratings that it is compared with, so its residual is too small
  on average: it is divided by √(1 − h), with h its leverage (CR2 of Bell and McCaffrey 2002).
- The prior is an imagined game, and its result is as unsure as that of any other: it adds to B
  what a game adds that is won or lost with even chances, (½ − p)² + ¼ for a player that wins it
  with the probability p.

A game that counts for its loser alone takes from that one what nobody gains, and the equations of
all players together would then be met nowhere: if the better of two often loses to the other by a
fault, each is to be below the other. So what their sum lacks is shared by all players alike, which
moves no two of them against each other. Where all games count for both, nothing is lacking.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.statistics.evidence import Evidence

Floats = NDArray[np.float64]

ELO = 400 / np.log(10)
"""Elo points of one unit of θ."""

PRIOR = 1.0
"""Games that every player is taken to have drawn with one in the middle of the scale, so that one
that won everything has a finite rating, and two groups that never met have a common scale."""

STEPS = 100
"""Most steps of Newton's method; a field takes about ten."""

FARTHEST = 20.0
"""Largest strength of a player, on either side of the middle: for what has no estimate."""

PRECISION = 1e-9
"""Change of θ at which the method stops."""

MOST_LEVERAGE = 0.9
"""Leverage of an opening pair up to which its residual is corrected for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Estimated strengths of n players, in Elo points."""

    elo: Floats
    """The ratings, an array of n; only their differences mean something."""

    covariance: Floats
    """Their covariance, n × n, in squared Elo points."""

    def anchored(self, player: int, value: float) -> Ratings:
        """Return the same ratings on a scale on which this player is known to have this rating."""
        return self._shifted(np.arange(len(self.elo)) == player, value)

    def centred(self, value: float) -> Ratings:
        """Return the same ratings on a scale on which their mean is known to be this."""
        return self._shifted(np.full(len(self.elo), 1 / len(self.elo)), value)

    def _shifted(self, weights: NDArray[np.generic], value: float) -> Ratings:
        """Return the ratings on the scale on which the sum with these weights is known."""
        shift = np.eye(len(self.elo)) - weights.astype(np.float64)[None, :]
        return Ratings(elo=shift @ self.elo + value, covariance=shift @ self.covariance @ shift.T)


def fit(evidence: Evidence, prior: float = PRIOR) -> Ratings:
    """Estimate the strengths of the players.

    `prior` is in games, see PRIOR. The scale's middle is 0.
    """
    games, points = evidence.games, evidence.points
    # two that lose to each other in games that count for the loser alone would push each other down
    # without an end: as many of them as both have count for both
    alone = games - (points + points.T)
    points = points + np.minimum(alone, alone.T) / 2
    strengths = np.zeros(evidence.players)
    for _ in range(STEPS):
        expected = _logistic(strengths[:, None] - strengths[None, :])
        middling = _logistic(strengths)
        surplus = (points - games * expected).sum(axis=1)
        gradient = surplus - surplus.mean() + prior * (0.5 - middling)
        bread = _bread(games, expected, prior * middling * (1 - middling))
        step = np.linalg.solve(bread, gradient)
        strengths = np.clip(strengths + np.clip(step, -1, 1), -FARTHEST, FARTHEST)
        if np.abs(step).max(initial=0) < PRECISION:
            break
    expected = _logistic(strengths[:, None] - strengths[None, :])
    middling = _logistic(strengths)
    bread = _bread(games, expected, prior * middling * (1 - middling))
    inverse = np.linalg.inv(bread).astype(np.float64)
    meat = _meat(evidence, expected, _corrections(evidence, expected, inverse))
    meat += np.diag(prior * ((0.5 - middling) ** 2 + 0.25))
    covariance = inverse @ meat @ inverse.T
    return Ratings(elo=strengths * ELO, covariance=covariance * ELO**2)


def _logistic(difference: Floats) -> Floats:
    return 1 / (1 + np.exp(-difference))


def _bread(games: Floats, expected: Floats, prior: Floats) -> Floats:
    """Return minus the derivative of the estimating equations by the strengths."""
    weights = games * expected * (1 - expected)
    bread: Floats = _shared(np.diag(weights.sum(axis=1)) - weights) + np.diag(prior)
    return bread


def _corrections(evidence: Evidence, expected: Floats, inverse: Floats) -> Floats:
    """Return 1 / (1 − h) of an opening pair between each two players, h its leverage.

    With v and v' what one such pair adds to A for i and for j, h is that times the entries of A⁻¹
    for the difference of the two: v (c_ii − c_ji) + v' (c_jj − c_ij).
    """
    counted = np.maximum(evidence.games, 1)
    weights = evidence.games_squared / counted * expected * (1 - expected)
    own = weights * (np.diag(inverse)[:, None] - inverse.T)
    leverage = np.clip(own + own.T, 0, MOST_LEVERAGE)
    corrections: Floats = 1 / (1 - leverage)
    return corrections


def _meat(evidence: Evidence, expected: Floats, corrections: Floats) -> Floats:
    """Return the sum of outer products of the opening pairs' parts of the equations."""
    won, lost = expected, 1 - expected
    own = (
        evidence.points_squared - 2 * won * evidence.games_points + won**2 * evidence.games_squared
    )
    both = (
        evidence.points_both
        - won * evidence.games_points_both
        - lost * evidence.games_points_both.T
        + won * lost * evidence.games_both
    )
    meat = corrections * both + np.diag((corrections * own).sum(axis=1))
    return _shared(_shared(meat).T)


def _shared(equations: Floats) -> Floats:
    """Return what games add to the equations once what they lack in sum is shared by all."""
    shared: Floats = equations - equations.mean(axis=0)
    return shared
