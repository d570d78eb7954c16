"""Standard scores of results by ratings and by place, and which surprise."""

from __future__ import annotations

from math import erfc, expm1, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from arena.statistics.bradley_terry import (
    LEVEL,
    MOST_LEVERAGE,
    PRIOR,
    Floats,
    Ints,
    difference_variances,
    laplacian,
)

Mask = NDArray[np.bool_]
LEAST = 3.3  # smaller standard scores are never surprising
NEARER = 0.25  # points by which a result is taken nearer to the expected one
LEAST_USUAL = 0.5  # smaller dispersions are taken as this
LEAST_VARIANCE = 2.0  # sums of fewer results, eight even games, have no standard score
HELD = 1e9  # information about a rating that is held
TINY = 1e-12  # smaller sums of squares are 0


def surprising(scores: Floats, false_chance: float) -> Mask:
    """Return which standard scores surprise (Benjamini and Hochberg 1995).

    `false_chance` is the chance that one does although nothing is behind it.
    """
    tails = np.array([erfc(abs(score) / sqrt(2)) for score in scores.tolist()])
    ranks = tails.argsort().argsort() + 1
    last = tails[tails * len(tails) <= false_chance * ranks].max(initial=0)
    found: Mask = (tails <= last) & (np.abs(scores) > LEAST)
    return found


def error_of_mean(values: Floats) -> float:
    """Return half the 95 % interval of a mean; infinite for one value.

    The values are independent. Student's quantile is approximated (Wallace 1959): for three
    values it is 4 % too large.
    """
    free = len(values) - 1
    if free < 1:
        return float("inf")
    normal = NormalDist().inv_cdf((1 + LEVEL) / 2) * (8 * free + 3) / (8 * free + 1)
    student = sqrt(free * expm1(normal**2 / free))
    return student * float(values.std(ddof=1)) / sqrt(len(values))


def pairing_scores(games: Floats, points: Floats, expected: Floats, free: Mask) -> Floats:
    """Return standard scores, n × n: points of i against j above the expected.

    `expected` are shares of points by ratings; the ratings of the `free` players were estimated
    from these games. A score is the signed root of the binomial deviance, NEARER to 0 because few
    or one-sided results are not normally distributed. It allows for the pairing's own part in the
    ratings (its leverage), and for the dispersion of all other pairings.
    """
    met = np.triu(games > 0, 1)
    variances = games * expected * (1 - expected)
    inverse = np.linalg.inv(laplacian(variances) + np.diag(np.where(free, PRIOR / 4, HELD)))
    left = 1 - (variances * difference_variances(inverse)).clip(0, MOST_LEVERAGE)
    rests = points - games * expected
    others = (variances * left)[met].sum() - variances * left
    usual = ((rests[met] ** 2).sum() - rests**2) / others.clip(TINY)
    share = expected + np.sign(rests) * (np.abs(rests) - NEARER).clip(0) / games.clip(1)
    won, lost = share * np.log(share / expected), (1 - share) * np.log((1 - share) / (1 - expected))
    deviances = 2 * games * (won + lost).clip(0) / left / usual.clip(LEAST_USUAL)
    return np.where(others > TINY, np.sign(rests) * np.sqrt(deviances), 0)


def place_scores(
    group: Ints, place: Ints, stratum: Ints, values: Floats, variances: Floats
) -> tuple[Floats, float]:
    """Return how results depend on the place, by the test of Mantel (1963).

    The arrays have an entry for each sum of results of a group at a place. Sums are compared with
    those of their stratum, which belongs to one group. Variances may share an unknown factor. The
    values of two groups may add up to 0, as in a game. Returns standard scores by group and place,
    0 with few results, and the likelihood of such differences by chance.
    """
    groups, places = int(group.max()) + 1, int(place.max()) + 1
    whole = np.bincount(stratum, variances)
    whole[whole < TINY] = 1
    rests = values - variances / whole[stratum] * np.bincount(stratum, values)[stratum]
    spread = (variances * (1 - variances / whole[stratum])).sum()
    usual = max(float((rests**2).sum() / max(spread, TINY)), TINY)
    _, at, cell = np.unique(stratum * places + place, return_index=True, return_inverse=True)
    there = np.bincount(cell, variances)
    parts = there, there * (1 - there / whole[stratum[at]]).clip(0), np.bincount(cell, rests)
    own = group[at] * places + place[at]
    all_there, spreads, sums = (
        np.bincount(own, part, groups * places).reshape(groups, places) for part in parts
    )
    met = spreads > TINY
    scores = np.where(met, sums / np.sqrt(usual * spreads.clip(TINY)), 0)
    weights = np.where(met, spreads / all_there.clip(TINY), 0)
    degrees = (met.sum(axis=1) - 1).clip(0)
    squares = degrees * (weights * scores**2).sum(axis=1) / weights.sum(axis=1).clip(TINY)
    linked = (groups - 1) / groups if groups > 1 else 1
    chance = _tail(linked * float(squares.sum()), linked * float(degrees.sum()))
    return np.where(spreads >= LEAST_VARIANCE, scores, 0), chance


def _tail(square: float, degrees: float) -> float:
    """Return the likelihood of a larger chi-square (Wilson and Hilferty 1931)."""
    if not degrees:
        return 1.0
    step = 2 / (9 * degrees)
    return erfc(((square / degrees) ** (1 / 3) - 1 + step) / sqrt(2 * step)) / 2
