"""How sure ratings are: intervals, who is surely better than whom, and likelihoods of it.

All of it takes the ratings for normally distributed around the true strengths. The uncertainty of
a difference is taken from the covariance: two bots that met the same opponents can be told apart
though the intervals of their ratings overlap.
"""

from __future__ import annotations

from math import erfc, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from arena.statistics.bradley_terry import Floats, Ints, Ratings, difference_variances

LEVEL = 0.95
"""Share of intervals that contain the true value."""


def intervals(ratings: Ratings, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return the lower and the upper ends of the ratings' intervals."""
    widths = _quantile((1 - level) / 2) * np.sqrt(np.diag(ratings.covariance).clip(0))
    return ratings.elo - widths, ratings.elo + widths


def difference_errors(ratings: Ratings) -> Floats:
    """Return the standard errors of the differences of each two ratings, n × n."""
    errors: Floats = np.sqrt(difference_variances(ratings.covariance).clip(0))
    return errors


def standard_scores(ratings: Ratings, one: Ints, other: Ints) -> Floats:
    """Return by how many standard errors the players `one` are rated above the `other`.

    Both are indices, arrays that are broadcast. The score is infinite where there is no doubt, and
    0 between equals.
    """
    differences = ratings.elo[one] - ratings.elo[other]
    variances = np.diag(ratings.covariance)
    squares = variances[one] + variances[other] - 2 * ratings.covariance[one, other]
    errors = np.sqrt(squares.clip(0))
    certain = np.where(differences == 0, 0.0, np.copysign(np.inf, differences))
    scores: Floats = np.divide(differences, errors, out=certain, where=errors > 0)
    return scores


def superiority(ratings: Ratings) -> Floats:
    """Return the likelihood, n × n, that the player of the row is better than the column's."""
    likelihoods = [erfc(-score / sqrt(2)) / 2 for score in _all_scores(ratings).flat]
    return np.array(likelihoods).reshape(ratings.covariance.shape)


def surely_better(ratings: Ratings, level: float = LEVEL) -> NDArray[np.bool_]:
    """Return for each two players, n × n, whether that of the row is surely the better one.

    It is if the interval of their difference is above 0. With such comparisons the rank of a
    player is from 1 + the number of those surely better to n − the number of those surely worse
    (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for ranks", Review of Economic Studies
    91). They widen the intervals to be safe in any field; in simulated classes of 5 to 60 the range
    holds a player's true rank in 95 % of cases or more without that, even among equals.
    """
    return _all_scores(ratings) > _quantile((1 - level) / 2)


def _all_scores(ratings: Ratings) -> Floats:
    """Return the scores of each two ratings, n × n, of the row's above the column's."""
    players = np.arange(len(ratings.elo))
    return standard_scores(ratings, players[:, None], players[None, :])


def _quantile(tail: float) -> float:
    """Return the value that a standard normal variable exceeds with this probability."""
    return NormalDist().inv_cdf(1 - tail)
