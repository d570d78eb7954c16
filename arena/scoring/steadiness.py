"""Steadiness: how likely a bot would keep its grade with another seed.

Contests with other seeds are simulated around the observed field. Ratings vary with twice their
covariance. Scores against house players vary as if opening pairs were drawn again (Dirichlet and
multinomial, prior of half a pair won and half a pair lost). More openings divide the covariance and
multiply the pairs.

A bot that lost every game through its own faults does so with every seed: it is never rated above
another, and has no points against house players.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from arena.scoring.field import SHARES, Field, ranks_of
from arena.scoring.grade_rules import Rule
from arena.statistics.bradley_terry import Floats, Ints, Ratings

SEEDS = 200  # simulated contests for each number of openings
SURE = 0.95  # share of seeds with the same grade that counts as sure
STEP = 1.5  # factor between tried numbers of openings
MOST = 30  # most openings tried, as a multiple of the contest's
PRIOR = np.array([0.5, 0, 0, 0, 0.5])  # opening pairs added, by points (0, ½, 1, 1½, 2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steadiness:
    sure: Floats
    """Share of simulated seeds in which each bot keeps its grade."""

    openings: Ints
    """Further openings until that share reaches SURE; -1 if no tried number is enough."""


def steadiness(field: Field, rule: Rule, seed: int) -> Steadiness:
    """Return the steadiness of a field's grades; equal `seed`s give equal results."""
    grades = rule.mark(field).values
    random = np.random.default_rng(seed)
    noise = random.standard_normal((SEEDS, len(field.bots))) @ _root(field.ratings.covariance)
    noise = noise[:, _firsts(field)]
    sure = _same(field, rule, grades, noise, field.openings, random)
    openings = np.full(len(grades), -1)
    openings[sure >= SURE] = 0
    number = field.openings
    unsettled = (openings < 0) & field.students
    while unsettled.any() and number < MOST * field.openings:
        number = ceil(number * STEP)
        settled = _same(field, rule, grades, noise, number, random) >= SURE
        openings[unsettled & settled] = number - field.openings
        unsettled &= ~settled
    return Steadiness(sure=sure, openings=openings)


def _same(
    field: Field,
    rule: Rule,
    grades: Floats,
    noise: Floats,
    openings: int,
    random: np.random.Generator,
) -> Floats:
    """Return the share of simulated seeds in which each bot keeps its grade."""
    factor = openings / field.openings
    covariance = field.ratings.covariance / factor
    counts = {player: _counts(pairs, factor, random) for player, pairs in field.pairs.items()}
    failing = field.mask(field.failing)
    for drawn_pairs in counts.values():
        drawn_pairs[:, failing, 0] = drawn_pairs[:, failing].sum(axis=2)
        drawn_pairs[:, failing, 1:] = 0
    same = np.zeros(len(grades))
    for number, deviation in enumerate(noise):
        elo = field.ratings.elo + np.sqrt(2 / factor) * deviation
        if failing.any():
            others = elo[~failing].min(initial=np.inf) - 1
            elo[failing] = min(field.ratings.elo[failing].min(), others)
        drawn = replace(
            field,
            ranks=ranks_of(elo),
            ratings=Ratings(elo=elo, covariance=covariance),
            pairs={player: drawn[number][_firsts(field)] for player, drawn in counts.items()},
        )
        same += rule.mark(drawn).values == grades
    return same / len(noise)


def _counts(pairs: Floats, factor: float, random: np.random.Generator) -> Ints:
    """Draw each bot's numbers of opening pairs by points; SEEDS × bots × 5."""
    weights = random.standard_gamma(pairs * factor + PRIOR, (SEEDS, len(pairs), len(SHARES)))
    numbers = np.round(pairs.sum(axis=1) * factor).astype(np.int64)
    likelihoods = weights / weights.sum(axis=2, keepdims=True)
    return random.multinomial(numbers, likelihoods)


def _root(covariance: Floats) -> Floats:
    """Return a matrix R with Rᵀ R = `covariance`."""
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = (vectors * np.sqrt(values.clip(0))).T
    return root


def _firsts(field: Field) -> Ints:
    """Return, for each bot, the index of the first bot identical to it."""
    _, firsts, numbers = np.unique(field.groups, return_index=True, return_inverse=True)
    return firsts[numbers]
