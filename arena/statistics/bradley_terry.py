"""Ratings by the model of Bradley and Terry, with the sandwich estimate of their covariance.

Player i beats j with the probability 1 / (1 + exp(θ_j − θ_i)); a draw counts as half a win. The
covariance is A⁻¹ B A⁻ᵀ with A the derivative of the estimating equations and B the sum of the
outer products of what each opening pair adds to them (Huber 1967, White 1980; clusters: Liang and
Zeger 1986), so that it holds though the two games of an opening are not independent.
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

PRECISION = 1e-9
"""Change of θ at which the method stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Estimated strengths of n players, in Elo points."""

    elo: Floats
    """The ratings, an array of n; only their differences mean something."""

    covariance: Floats
    """Their covariance, n × n, in squared Elo points."""

    def anchored(self, player: int, value: float) -> Ratings:
        """Return the same ratings on a scale on which this player is known to have this rating."""
        to_anchor = np.eye(len(self.elo))
        to_anchor[:, player] -= 1
        return Ratings(
            elo=self.elo - self.elo[player] + value,
            covariance=to_anchor @ self.covariance @ to_anchor.T,
        )


def fit(evidence: Evidence, prior: float = PRIOR) -> Ratings:
    """Estimate the strengths of the players.

    `prior` is in games, see PRIOR. The scale's middle is 0.
    """
    games, points = evidence.games, evidence.points
    strengths = np.zeros(evidence.players)
    for _ in range(STEPS):
        expected = _logistic(strengths[:, None] - strengths[None, :])
        middling = _logistic(strengths)
        gradient = (points - games * expected).sum(axis=1) + prior * (0.5 - middling)
        bread = _bread(games, expected, prior * middling * (1 - middling))
        step = np.linalg.solve(bread, gradient)
        strengths += np.clip(step, -1, 1)
        if np.abs(step).max(initial=0) < PRECISION:
            break
    expected = _logistic(strengths[:, None] - strengths[None, :])
    middling = _logistic(strengths)
    inverse = np.linalg.inv(_bread(games, expected, prior * middling * (1 - middling)))
    covariance = inverse @ _meat(evidence, expected) @ inverse.T
    return Ratings(elo=strengths * ELO, covariance=covariance * ELO**2)


def _logistic(difference: Floats) -> Floats:
    return 1 / (1 + np.exp(-difference))


def _bread(games: Floats, expected: Floats, prior: Floats) -> Floats:
    """Return minus the derivative of the estimating equations by the strengths."""
    weights = games * expected * (1 - expected)
    bread: Floats = np.diag(weights.sum(axis=1) + prior) - weights
    return bread


def _meat(evidence: Evidence, expected: Floats) -> Floats:
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
    meat: Floats = both + np.diag(own.sum(axis=1))
    return meat
