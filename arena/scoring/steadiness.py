"""Steadiness: how much grades depend on the draw of the openings.

True ratings are drawn from the observed ones with their covariance, and from each draw the ratings
of two contests, again with that covariance. Scores against house players are drawn in the same way:
true shares of opening pairs by points (Dirichlet, with PRIOR pairs of the score that the ratings
predict), and from them the pairs of two contests (multinomial). Half the mean square of the
difference between both contests' grades is the variance of a grade over draws of the openings.

A bot that lost every game through its own faults does so in every contest: it is never rated above
another, and has no points against house players.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from arena.scoring.field import Field, ranks_of
from arena.scoring.grade_rules import Rule
from arena.statistics.bradley_terry import ELO, LEVEL, Floats, Ints, logistic

DRAWS = 250  # drawn strengths, each with two simulated contests
PRIOR = 1.5  # opening pairs of the prior; with 1 to 2 the intervals hold in 93 to 96 % of cases
LEAST = 0.01  # chances below are left out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steadiness:
    error: Floats
    """Half the width of the 95 % interval of each bot's mean grade over draws of the openings."""

    chances: tuple[Mapping[float, float], ...]
    """Chances of other grades with another draw, by bot and grade; none if grades have decimals."""


def steadiness(field: Field, rule: Rule, seed: int) -> Steadiness:
    """Return the steadiness of a field's grades; equal `seed`s give equal results."""
    grades = rule.mark(field).values
    contests = _contests(field, rule, np.random.default_rng(seed))
    differences = contests[:, 0] - contests[:, 1]
    error = NormalDist().inv_cdf((1 + LEVEL) / 2) * np.sqrt((differences**2).mean(axis=0) / 2)
    chances: list[Mapping[float, float]] = []
    for grade, drawn in zip(grades, contests.reshape(2 * DRAWS, len(grades)).T, strict=True):
        others, counts = np.unique(drawn, return_counts=True)
        chances.append(
            {
                float(other): float(chance)
                for other, chance in zip(others, counts / len(drawn), strict=True)
                if other != grade and chance >= LEAST and not rule.decimals
            }
        )
    return Steadiness(error=error, chances=tuple(chances))


def _contests(field: Field, rule: Rule, random: np.random.Generator) -> Floats:
    """Return the grades of simulated contests: DRAWS × 2 × bots."""
    bots, firsts, failing = len(field.bots), _firsts(field), field.mask(field.failing)
    noise = random.standard_normal((DRAWS, 3, bots)) @ _root(field.ratings.covariance)
    pairs = {player: _pairs(field, player, random) for player in field.pairs}
    for drawn in pairs.values():
        drawn[:, :, failing, 0] = drawn[:, :, failing].sum(axis=3)
        drawn[:, :, failing, 1:] = 0
    grades = np.zeros((DRAWS, 2, bots))
    for draw, contest in np.ndindex(DRAWS, 2):
        elo = field.ratings.elo + (noise[draw, 2] + noise[draw, contest])[firsts]
        if failing.any():
            others = elo[~failing].min(initial=np.inf) - 1
            elo[failing] = min(field.ratings.elo[failing].min(), others)
        simulated = replace(
            field,
            ranks=ranks_of(elo),
            ratings=replace(field.ratings, elo=elo),
            pairs={player: drawn[draw, contest][firsts] for player, drawn in pairs.items()},
        )
        grades[draw, contest] = rule.mark(simulated).values
    return grades


def _pairs(field: Field, player: str, random: np.random.Generator) -> Floats:
    """Draw each bot's numbers of opening pairs by points: DRAWS × 2 × bots × 5."""
    counts, elo = field.pairs[player], field.ratings.elo
    expected = np.full(len(elo), 0.5)
    if player in field.bots:
        expected = logistic((elo - elo[field.index(player)]) / ELO)
    known = counts.copy()
    known[:, 0] += PRIOR * (1 - expected)
    known[:, -1] += PRIOR * expected
    weights = random.standard_gamma(known, (DRAWS, 1, *known.shape))
    likelihoods = weights / weights.sum(axis=3, keepdims=True)
    numbers = np.round(counts.sum(axis=1)).astype(np.int64)
    return random.multinomial(numbers, likelihoods.repeat(2, axis=1)).astype(np.float64)


def _root(covariance: Floats) -> Floats:
    """Return a matrix R with Rᵀ R = `covariance`."""
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = (vectors * np.sqrt(values.clip(0))).T
    return root


def _firsts(field: Field) -> Ints:
    _, firsts, numbers = np.unique(field.groups, return_index=True, return_inverse=True)
    return firsts[numbers]
