"""Choosing the opening pairs to play next, so that a field is in order after few games.

The aim is a small number of wrongly ordered players, Σ Φ(−|Δ| / σ) over the pairs whose order is
not decided: Δ is the difference of their ratings and σ its standard error. An opening pair between
i and j tells of the difference d of those two, and by the covariance Σ also of other differences.
It takes from the variance of a difference e

    w (eᵀ Σ d)² / (1 + w dᵀ Σ d),    w = 2 p (1 − p),

w being the information in its two games. Pairs are chosen by the sum of that over all undecided
differences. Each counts by exp(−Δ² / σ²) / σ²: most where results may still turn the order, as in
the knowledge gradient (Frazier, Powell and Dayanik 2008) with as many games ahead as make the
difference known twice as well. Choosing by the slope of Φ(−|Δ| / σ) instead, which is 0 at Δ = 0,
would leave alone just those that are closest.

Ratings are first drawn together towards their mean, by as much as the spread of the field and
their uncertainty tell (empirical Bayes). With a few games the extremes are mostly luck; and a
likelihood that takes the field into account stays true however often it is looked at, while other
tests find something sooner or later if they are repeated after every round.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from arena.statistics.bradley_terry import ELO, Floats, Ratings, difference_variances, laplacian
from arena.statistics.certainty import difference_errors

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
OpeningPairs = list[tuple[int, int, int]]
"""Opening pairs to be played: two players, the lower index first, and how many between them."""

ACQUAINTANCES = 3
"""Players that each one meets first, and as many again that meet it: too few to judge anybody, but
enough to connect all, and to survive one strange result."""

GROWTH = 0.1
"""Size of a round as a share of what was played before."""

LEAST_ROUND = 8
"""Opening pairs in the smallest round."""

INDIFFERENT = 10.0
"""Elo points, 51.4 % of the points: players that are surely closer than this are not told apart."""

GOOD_ENOUGH = 0.5
"""Share of the best gain below which a pair waits until the gains are computed again."""

NARROWEST = 10.0
"""Elo points of the smallest spread that a field is taken to have."""

DIGITS = 9
"""Decimals to which gains are compared, so that no rounding error decides who plays."""


def settled_ratings(ratings: Ratings) -> Ratings:
    """Return the ratings drawn together as the field's spread and their uncertainty tell."""
    count = len(ratings.elo)
    middle = ratings.elo.mean()
    # noise that all have in common moves the scale and says nothing of the spread
    noise = np.trace(ratings.covariance) / count - ratings.covariance.mean()
    spread = max(float(ratings.elo.var()) - noise, NARROWEST**2)
    shrink = spread * np.linalg.inv(ratings.covariance + spread * np.eye(count))
    return Ratings(
        elo=middle + shrink @ (ratings.elo - middle), covariance=shrink @ ratings.covariance
    )


def undecided(ratings: Ratings, level: float) -> Flags:
    """Return of each two players, n × n, whether it is open which is better.

    It is not if one is better with at least this likelihood, or if both are surely equal, see
    INDIFFERENT. The ratings are taken as they are; see `settled_ratings`.
    """
    needed = NormalDist().inv_cdf(level) * difference_errors(ratings)
    difference = np.abs(ratings.elo[:, None] - ratings.elo[None, :])
    is_open: Flags = (difference < needed) & (difference + needed > INDIFFERENT)
    np.fill_diagonal(is_open, False)
    return is_open


def undecided_neighbours(ratings: Ratings, level: float) -> list[tuple[int, int]]:
    """Return the neighbours in the order of the ratings, best first, of which that is open."""
    is_open = undecided(settled_ratings(ratings), level)
    order = np.argsort(-ratings.elo, kind="stable").tolist()
    return [(one, other) for one, other in pairwise(order) if is_open[one, other]]


def first_round(played: Counts, left: Counts) -> OpeningPairs:
    """Return the opening pairs that players are still to play before any can be judged.

    Each meets the next ACQUAINTANCES of those that it may meet, around a circle in the order of
    their indices, so all are connected. `played` and `left` are n × n and symmetric: opening pairs
    that two players have played, and that they can still play.
    """
    count = len(played)
    pairs: set[tuple[int, int]] = set()
    for one in range(count):
        circle = [(one + step) % count for step in range(1, count)]
        can_meet = [other for other in circle if played[one, other] + left[one, other]]
        pairs.update((min(one, other), max(one, other)) for other in can_meet[:ACQUAINTANCES])
    new = (pair for pair in sorted(pairs) if not played[pair] and left[pair])
    return [(one, other, 1) for one, other in new]


def next_round(ratings: Ratings, played: Counts, left: Counts, level: float) -> OpeningPairs:
    """Return the opening pairs to play next; none if all neighbours are decided, or all is played.

    Only players of whom it is open which is better are paired. `ratings` are those after whole
    rounds, `played` and `left` as in `first_round`, which is returned as long as there is one. A
    player with nothing left is nobody's neighbour.
    """
    if start := first_round(played, left):
        return start
    drawn = settled_ratings(ratings)
    takes_part = left.sum(axis=1) > 0
    both = takes_part[:, None] & takes_part[None, :]
    targets = undecided(drawn, level) & both
    order = [player for player in np.argsort(-ratings.elo, kind="stable") if takes_part[player]]
    if not any(targets[one, other] for one, other in pairwise(order)):
        return []
    wanted = max(len(played), LEAST_ROUND, int(GROWTH * np.triu(played).sum()))
    chosen = np.zeros_like(left)
    for pairs in _best_pairs(drawn, targets, np.where(targets, left, 0), chosen):
        for one, other in pairs[: wanted - np.triu(chosen).sum()]:
            chosen[one, other] += 1
            chosen[other, one] += 1
        if np.triu(chosen).sum() >= wanted:
            break
    ones, others = np.nonzero(np.triu(chosen))
    counts = chosen[ones, others].tolist()
    return list(zip(ones.tolist(), others.tolist(), counts, strict=True))


def _best_pairs(
    ratings: Ratings, targets: Flags, left: Counts, chosen: Counts
) -> Iterator[list[tuple[int, int]]]:
    """Yield the pairs that gain most, no player twice, given what the caller has `chosen` so far.

    `left` is what may be chosen in all.
    """
    elo = ratings.elo / ELO
    squares = (elo[:, None] - elo[None, :]) ** 2
    expected = 1 / (1 + np.exp(-(elo[:, None] - elo[None, :])))
    information = 2 * expected * (1 - expected)
    known = np.linalg.inv(ratings.covariance / ELO**2)
    above = np.triu_indices(len(elo), 1)
    while True:
        covariance = np.linalg.inv(known + laplacian(chosen * information)).astype(np.float64)
        variances = _variances(covariance)
        weights = np.where(targets, np.exp(-squares / variances) / variances, 0)
        # Σ over targets e of (eᵀ Σ d)² is dᵀ (Σ L Σ) d, with L the Laplacian of the weights
        gains = _variances(covariance @ laplacian(weights) @ covariance)
        gains *= information / (1 + information * variances)
        gains = np.where(chosen < left, gains, 0)[above]
        if (best := gains.max(initial=0)) <= 0:
            return
        gains = (gains / best).round(DIGITS)
        taken: set[int] = set()
        pairs = []
        for place in np.argsort(-gains, kind="stable"):
            one, other = int(above[0][place]), int(above[1][place])
            if gains[place] < GOOD_ENOUGH:
                break
            if taken.isdisjoint((one, other)):
                taken.update((one, other))
                pairs.append((one, other))
        yield pairs


def _variances(covariance: Floats) -> Floats:
    """Return the variances of the differences of each two, with 1 for one and itself."""
    variances = difference_variances(covariance)
    np.fill_diagonal(variances, 1)
    return variances
