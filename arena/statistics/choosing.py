"""Choosing opening pairs that tell most about a field.

An opening pair between players whose difference is d changes the covariance Σ of the ratings: by w
Σd dᵀΣ / (1 + w dᵀΣd), with w = 2 p (1 − p) the information in its two games. There are two aims.

- *Accuracy*: a small sum of the variances of the ratings (A-optimal designs: Atkinson, Donev and
  Tobias 2007). A pair reduces it by w ‖Σd‖² / (1 + w dᵀΣd), and is chosen by that per second.
- *Order*: a small expected number of wrongly ordered players, Σ Φ(−|Δ| / σ) over undecided pairs of
  players, with Δ the difference of their ratings and σ its standard error. A pair reduces the
  variance of a difference e by w (eᵀΣd)² / (1 + w dᵀΣd). It is chosen by the sum of this over all
  undecided differences e, weighted by exp(−Δ² / σ²) / σ², like the knowledge gradient (Frazier,
  Powell and Dayanik 2008). The slope of Φ(−|Δ| / σ), 0 at Δ = 0, would ignore the closest players.

Ratings are first shrunk towards their mean (empirical Bayes), as extremes after few games are
mostly luck. So likelihoods stay true however often they are computed, unlike repeated tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from arena.statistics.bradley_terry import (
    ELO,
    Floats,
    Ratings,
    difference_errors,
    difference_variances,
    laplacian,
    logistic,
)

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
# Opening pairs to play: (lower player, higher player, number of pairs).
OpeningPairs = list[tuple[int, int, int]]

# Number of opponents that each player meets first; as many others meet this player. That is enough
# to connect all players, even with one strange result.
ACQUAINTANCES = 3
GROWTH = 0.1  # size of a round as a share of the pairs played before
LEAST_ROUND = 8  # opening pairs in the smallest round

# Elo points (51.4 % of the points). Players that are surely closer count as equal.
INDIFFERENT = 10.0

# Share of the best gain that a pair needs to be chosen; others wait until gains are computed again.
GOOD_ENOUGH = 0.5
NARROWEST = 10.0  # Elo points; a smaller spread of a field is taken as this
DIGITS = 9  # decimals of gains, so that rounding errors decide nothing


def shrunk_ratings(ratings: Ratings) -> Ratings:
    """Return the ratings moved towards their mean, the more uncertain the more."""
    count = len(ratings.elo)
    middle = ratings.elo.mean()
    # noise common to all players moves the scale and does not add to the spread
    noise = np.trace(ratings.covariance) / count - ratings.covariance.mean()
    spread = max(float(ratings.elo.var()) - noise, NARROWEST**2)
    shrink = spread * np.linalg.inv(ratings.covariance + spread * np.eye(count))
    return Ratings(
        elo=middle + shrink @ (ratings.elo - middle), covariance=shrink @ ratings.covariance
    )


def undecided(ratings: Ratings, level: float) -> Flags:
    """Return whether the order of each two players is undecided, n × n.

    The order is decided if one player is better with likelihood `level`, or if the two are surely
    closer than INDIFFERENT.
    """
    needed = NormalDist().inv_cdf(level) * difference_errors(ratings)
    difference = np.abs(ratings.elo[:, None] - ratings.elo[None, :])
    is_open: Flags = (difference < needed) & (difference + needed > INDIFFERENT)
    np.fill_diagonal(is_open, False)
    return is_open


def undecided_neighbours(ratings: Ratings, level: float) -> list[tuple[int, int]]:
    """Return pairs of neighbours by rating whose order is undecided, the best first."""
    is_open = undecided(shrunk_ratings(ratings), level)
    order = np.argsort(-ratings.elo, kind="stable").tolist()
    return [(one, other) for one, other in pairwise(order) if is_open[one, other]]


def first_round(played: Counts, left: Counts) -> OpeningPairs:
    """Return the opening pairs to play before ratings are computed.

    With the players in a circle, each meets the next ACQUAINTANCES opponents, so all are connected.
    `played` and `left` (n × n, symmetric) are numbers of opening pairs.
    """
    count = len(played)
    pairs: set[tuple[int, int]] = set()
    for one in range(count):
        circle = [(one + step) % count for step in range(1, count)]
        can_meet = [other for other in circle if played[one, other] + left[one, other]]
        pairs.update((min(one, other), max(one, other)) for other in can_meet[:ACQUAINTANCES])
    new = (pair for pair in sorted(pairs) if not played[pair] and left[pair])
    return [(one, other, 1) for one, other in new]


def order_round(ratings: Ratings, played: Counts, left: Counts, level: float) -> OpeningPairs:
    """Return the next opening pairs; [] if the order of all neighbours is decided.

    For `played` and `left` see `first_round`, which comes first. `ratings` must come from whole
    rounds. Players without remaining pairs are ignored.
    """
    drawn = shrunk_ratings(ratings)
    takes_part = left.sum(axis=1) > 0
    both = takes_part[:, None] & takes_part[None, :]
    targets = undecided(drawn, level) & both
    order = [player for player in np.argsort(-ratings.elo, kind="stable") if takes_part[player]]
    if not any(targets[one, other] for one, other in pairwise(order)):
        return []

    def of_order(covariance: Floats) -> Floats:
        variances = _positive(difference_variances(covariance))
        squares = _differences(drawn) ** 2
        weights: Floats = np.where(targets, np.exp(-squares / variances) / variances, 0)
        return laplacian(weights)

    return _chosen(drawn, np.where(targets, left, 0), _size(played), of_order)


def accurate_round(
    ratings: Ratings,
    played: Counts,
    left: Counts,
    is_graded: Flags,
    seconds: Floats,
    least: int = LEAST_ROUND,
) -> OpeningPairs:
    """Return opening pairs, at least `least`, that make ratings accurate.

    Only those of graded players matter. `seconds` (n × n) is the expected time of an opening pair.
    Returns [] if nothing is left.
    """
    weights = np.diag(is_graded.astype(np.float64))
    size = max(_size(played), least)
    return _chosen(shrunk_ratings(ratings), left, size, lambda _: weights, seconds)


def _size(played: Counts) -> int:
    return max(len(played), LEAST_ROUND, int(GROWTH * np.triu(played).sum()))


def _chosen(
    ratings: Ratings,
    left: Counts,
    wanted: int,
    weights: Callable[[Floats], Floats],
    seconds: Floats | float = 1.0,
) -> OpeningPairs:
    chosen = np.zeros_like(left)
    for pairs in _best_pairs(ratings, left, chosen, weights, seconds):
        for one, other in pairs[: wanted - np.triu(chosen).sum()]:
            chosen[one, other] += 1
            chosen[other, one] += 1
        if np.triu(chosen).sum() >= wanted:
            break
    ones, others = np.nonzero(np.triu(chosen))
    counts = chosen[ones, others].tolist()
    return list(zip(ones.tolist(), others.tolist(), counts, strict=True))


def _differences(ratings: Ratings) -> Floats:
    elo: Floats = ratings.elo / ELO
    differences: Floats = elo[:, None] - elo[None, :]
    return differences


def _positive(variances: Floats) -> Floats:
    positive: Floats = np.where(variances > 0, variances, 1)  # 0 for two held players
    return positive


def _best_pairs(
    ratings: Ratings,
    left: Counts,
    chosen: Counts,
    weights: Callable[[Floats], Floats],
    seconds: Floats | float,
) -> Iterator[list[tuple[int, int]]]:
    """Yield lists of the pairs with the largest gains, each player at most once in a list.

    With the covariance Σ and M = `weights(Σ)`, a pair d gains dᵀ Σ M Σ d. The caller adds its
    choice to `chosen` before the next list.
    """
    expected = logistic(_differences(ratings))
    information = 2 * expected * (1 - expected)
    before = ratings.covariance / ELO**2
    above = np.triu_indices(len(before), 1)
    while True:
        # (Σ⁻¹ + L)⁻¹ = (1 + Σ L)⁻¹ Σ; the latter also holds for held ratings, without Σ⁻¹
        learnt = np.eye(len(before)) + before @ laplacian(chosen * information)
        covariance = np.linalg.solve(learnt, before)
        gains = difference_variances(covariance @ weights(covariance) @ covariance)
        gains *= information / (1 + information * difference_variances(covariance)) / seconds
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
