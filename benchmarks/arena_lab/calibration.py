"""Estimating the population behind played games, to simulate similar classes."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from arena.statistics.bradley_terry import (
    ELO,
    Evidence,
    Floats,
    Ints,
    fit,
    moments,
    with_shared_openings,
)
from arena_lab.synthetic import Population, draw_shares, expected_scores

STEPS = 50  # Iterations of `_advantages` and `_draws`.
MOST_ADVANTAGE = 5.0  # Largest advantage of an opening, as natural logarithm of odds.
BY_CHANCE = 2.0  # Standard errors up to which similar results of a pairing count as chance.
MOST_DRAWS = 0.99  # Largest share of draws between equals.


def calibrate(
    students: int,
    house: int,
    first: ArrayLike,
    second: ArrayLike,
    opening: ArrayLike,
    points: ArrayLike,
) -> Population:
    """Return an estimate of the population that these games come from.

    The players are the students, at least two, then the house players. Each index of the four
    arrays is a game: its first and second player, its opening (from 0), and the first player's
    points: 1, ½ or 0.
    """
    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    score = np.asarray(points, dtype=np.float64)
    played, games = np.asarray(opening, dtype=np.int64), np.ones_like(score)
    fitted = fit(Evidence.of(students + house, one, other, (games, games), (score, 1 - score)))
    both_sides = (
        np.concatenate([one, other]),
        np.concatenate([other, one]),
        np.concatenate([played, played]),
        np.concatenate([score, 1 - score]),
    )
    ratings = with_shared_openings(fitted, *both_sides)
    between_openings, _, _ = moments(fitted, *both_sides)
    own, errors = ratings.elo[:students], ratings.covariance[:students, :students]
    by_luck = (np.trace(errors) - students * errors.mean()) / (students - 1)
    difference = (ratings.elo[one] - ratings.elo[other]) / ELO
    advantages, doubts = _advantages(difference, played, score)
    expected = expected_scores(difference, advantages[played])[..., 0]
    return Population(
        players=students,
        spread=sqrt(max(own.var(ddof=1) - by_luck, 0)),
        house=tuple(map(float, ratings.elo[students:] - own.mean())),
        bias=ELO * sqrt(max(float(np.mean(advantages**2 - doubts**2)), 0)),
        suits=ELO * sqrt(between_openings),
        draws=_draws(expected, int((score == 0.5).sum())),
        repeats=_repeats(one, other, played, score - expected),
    )


def _advantages(difference: Floats, opening: Ints, score: Floats) -> tuple[Floats, Floats]:
    """Return (each opening's advantage for the first player, the advantages' standard errors)."""
    advantages: Floats = np.zeros(int(opening.max()) + 1)
    for _ in range(STEPS):
        expected = expected_scores(difference, advantages[opening])[..., 0]
        information = np.bincount(opening, expected * (1 - expected))
        doubts = 1 / np.sqrt(np.maximum(information, 1e-9))
        steps = doubts**2 * np.bincount(opening, score - expected)
        advantages = np.clip(advantages + steps.clip(-1, 1), -MOST_ADVANTAGE, MOST_ADVANTAGE)
    return advantages, doubts


def _draws(expected: Floats, drawn: int) -> float:
    """Return the share of draws between equals with which `drawn` draws are expected."""
    low, high = 0.0, MOST_DRAWS
    for _ in range(STEPS):
        middle = (low + high) / 2
        if draw_shares(expected, middle).sum() < drawn:
            low = middle
        else:
            high = middle
    return low


def _repeats(one: Ints, other: Ints, opening: Ints, surprises: Floats) -> float:
    """Return the chance that a pairing's later opening ends as its first; 0 if chance explains it.

    `surprises` are the first player's points minus the expected points. Of K results of a pairing
    with variance s², each is correlated with the first by r, and with the others by r². So their
    sum has (2 (K − 1) r + (K − 1) (K − 2) r²) s² more variance than the sum of independent results.
    With few openings, the fitted strengths explain a part of this, and r is too low.
    """
    players, openings = max(one.max(), other.max()) + 1, opening.max() + 1
    pairing = np.minimum(one, other) * players + np.maximum(one, other)
    units, unit = np.unique(pairing * openings + opening, return_inverse=True)
    results = np.bincount(unit, np.where(one < other, surprises, -surprises))
    _, group = np.unique(units // openings, return_inverse=True)
    counts, sums = np.bincount(group), np.bincount(group, results)
    squares = np.bincount(group, results**2)
    excess = float((sums**2 - squares).sum())
    if excess <= BY_CHANCE * sqrt(float((2 * (counts - 1) / counts * squares**2).sum())):
        return 0.0
    more = excess / float(squares.sum() / counts.sum())
    linear, quadratic = 2.0 * (counts - 1).sum(), float(((counts - 1) * (counts - 2)).sum())
    repeats = 2 * more / (linear + sqrt(linear**2 + 4 * quadratic * more))
    return min(float(repeats), 1.0)
