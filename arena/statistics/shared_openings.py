"""Openings that all pairings share: they suit some players better than others.

`fit` takes opening pairs for independent. But the pairs of one player in one opening are not, as a
player that knows no good move there loses to everybody. In a class of 20 bots, played with five
seeds and 10 openings, the ratings differed between seeds 1.7 times as much as their covariance
said; with what is added here 0.99 times.

Player i is taken to be stronger by a_ik in opening k than it is on average, with the variance τ²
for all players. Then the part s_k of opening k of the estimating equations has the covariance that
its opening pairs give it and τ² A_k A_kᵀ besides, with A_k the part of A of the games from it. So
τ² is estimated by comparing both (method of moments), and A⁻¹ (Σ_k τ² A_k A_kᵀ) A⁻ᵀ is added to the
covariance of the ratings. One opening alone tells nothing of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.statistics.bradley_terry import ELO, Ratings

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

SINGULAR = 1e-10
"""Singular values of A that count as 0, as a part of the largest: A knows no common scale. It is
not symmetric where games count for one side only."""


def with_shared_openings(
    ratings: Ratings, one: Indices, other: Indices, opening: Indices, points: Floats
) -> Ratings:
    """Return the ratings with the uncertainty that comes from the openings.

    `ratings` are as `fit` returns them. Each entry of the arrays is a game as it counts for the
    player `one`: who it played, the opening's index, and its points. Games of a player with itself
    tell nothing.
    """
    variance, parts, outer = _moments(ratings, one, other, opening, points)
    if not variance:
        return ratings
    inverse = np.linalg.pinv(parts.sum(axis=0), SINGULAR)
    added = variance * inverse @ outer @ inverse.T * ELO**2
    return Ratings(elo=ratings.elo, covariance=ratings.covariance + added)


def suits(
    ratings: Ratings, one: Indices, other: Indices, opening: Indices, points: Floats
) -> float:
    """Return by how many Elo points a player is stronger in one opening than in another: τ.

    The arguments are those of `with_shared_openings`.
    """
    variance, _, _ = _moments(ratings, one, other, opening, points)
    return float(np.sqrt(variance) * ELO)


def _moments(
    ratings: Ratings, one: Indices, other: Indices, opening: Indices, points: Floats
) -> tuple[float, Floats, Floats]:
    """Return τ², the matrices A_k, openings × n × n, and the sum of their outer products."""
    n, openings = len(ratings.elo), int(opening.max(initial=0)) + 1
    told = one != other
    one, other, opening, points = one[told], other[told], opening[told], points[told]
    if openings < 2 or not len(points):
        return 0.0, np.zeros((openings, n, n)), np.zeros((n, n))
    expected = 1 / (1 + np.exp((ratings.elo[other] - ratings.elo[one]) / ELO))
    cells = (opening * n + one) * n + other

    def summed(values: Floats) -> Floats:
        sums = np.bincount(cells, values, minlength=openings * n * n)
        return sums.reshape(openings, n, n).astype(np.float64)

    pairs = summed(points - expected)
    scores = pairs.sum(axis=2)
    scores = scores - scores.mean(axis=0)
    weights = summed(expected * (1 - expected))
    parts = -weights
    parts[:, range(n), range(n)] += weights.sum(axis=2)
    outer: Floats = (parts @ parts.transpose(0, 2, 1)).sum(axis=0)
    units = np.unique(np.minimum(cells, (opening * n + other) * n + one)).size
    if units < n:
        return 0.0, parts, outer
    # both sums are of residuals, from which the fit took openings' means and n − 1 ratings
    between = (scores**2).sum() * openings / (openings - 1)
    excess = between - (pairs**2).sum() * units / (units - n + 1)
    return max(float(excess / np.trace(outer)), 0.0), parts, outer
