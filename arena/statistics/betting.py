"""Which of two players is better, decided while they play.

A gambler bets on the scores of opening pairs, x = 0, ¼, ½, ¾ or 1. With a stake λ the capital
becomes Π (1 + λ (x − m)). If the mean score is m, no stake gains on average, so the chance that the
capital *ever* reaches 1 / α is at most α (Ville 1939). So a match may stop after any pair at which
it is reached. Draws may be rare or frequent, and the two games of a pair may depend on each other.
Waudby-Smith and Ramdas (2024) describe such bets on means. Here the capital is divided between
stakes of both signs, before the first pair.
"""

from __future__ import annotations

from math import exp, inf, log, log10

import numpy as np
from numpy.typing import ArrayLike

from arena.statistics.bradley_terry import LEVEL, Floats

SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # Of an opening pair: points of two games, halved.

# Stakes as parts of the largest ones; with larger ones the capital could become negative.
STAKES = np.array([0.15, 0.4, 0.9])
MEANS = np.linspace(0.001, 0.999, 999)  # Mean scores that `interval` tests.


def capital(counts: ArrayLike, mean: ArrayLike = 0.5) -> Floats:
    """Return the logarithm of the capital after bets against the mean score `mean`.

    `counts` has the numbers of pairs by score in its last axis; `mean` has the other axes.
    """
    middle = np.asarray(mean, np.float64)[..., None]
    stakes = np.concatenate([STAKES / middle, -STAKES / (1 - middle)], axis=-1)
    factors = 1 + stakes[..., :, None] * (SCORES - middle[..., None])
    sums = np.einsum("...sx,...x->...s", np.log(factors), np.asarray(counts, np.float64))
    most = sums.max(axis=-1)
    total: Floats = most + np.log(np.exp(sums - most[..., None]).mean(axis=-1))
    return total


def certainty(counts: ArrayLike) -> float:
    """Return the certainty that the two differ, from 0 to 1.

    Of equal players, at most 3 % ever reach 0.97.
    """
    return 1 - exp(-max(float(capital(counts)), 0.0))


def interval(counts: ArrayLike, level: float = LEVEL) -> tuple[float, float]:
    """Return the smallest and largest possible mean score.

    With the chance `level`, the true mean lies in the intervals after every number of pairs.
    """
    possible = MEANS[capital(np.asarray(counts)[None, :], MEANS) < -log(1 - level)]
    return float(possible.min(initial=1)), float(possible.max(initial=0))


def elo(share: float) -> float:
    """Return the difference of ratings that explains this share of the points."""
    return inf if share >= 1 else -inf if share <= 0 else 400 * log10(share / (1 - share))
