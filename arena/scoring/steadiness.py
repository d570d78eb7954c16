"""Steadiness: would a bot's grade be another with another seed, and how many openings settle it?

Contests with other seeds are simulated. Their fields are drawn around the one that is known, with
the uncertainty of both: that of the ratings from their covariance, twice over, and that of the
scores against house players as if their opening pairs were drawn anew (Dirichlet and multinomial,
with a prior of half a pair won and half a pair lost). More openings divide the covariance and
multiply the pairs; then the field that is known is taken for the truth.

A bot that lost every game by a fault of its own loses them with every seed: nothing about it is
drawn. It stays where it is, but never above another, and has no point against a house player.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from arena.scoring.field import SHARES, Field, ranks_of
from arena.scoring.grade_rules import Rule
from arena.statistics import Ratings
from arena.statistics.bradley_terry import Floats, Ints

SEEDS = 200
"""Contests that are simulated with one number of openings."""

SURE = 0.95
"""Share of seeds that give the same grade from which a grade is sure."""

STEP = 1.5
"""Factor between the numbers of openings that are tried."""

MOST = 30
"""A grade that so many times the openings leave unsure is settled by no number of them."""

PRIOR = np.array([0.5, 0, 0, 0, 0.5])
"""Opening pairs that are added to those against a house player, by the points they brought."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steadiness:
    """How steady the grades of a field are, by bot."""

    sure: Floats
    """Share of seeds that give the same grade."""

    openings: Ints
    """How many more openings would make that SURE: 0 for none, -1 if no number would."""


def steadiness(field: Field, rule: Rule, seed: int) -> Steadiness:
    """Return how steady the grades are that a rule gives the bots of a field.

    `seed` is that of the random numbers: the same for the same contest.
    """
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
    grades: Ints,
    noise: Floats,
    openings: int,
    random: np.random.Generator,
) -> Floats:
    """Return for each bot the share of seeds that give it the same grade after these openings."""
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
    """Draw SEEDS times how many opening pairs bring each bot 0, ½, 1, 1½ and 2 points."""
    weights = random.standard_gamma(pairs * factor + PRIOR, (SEEDS, len(pairs), len(SHARES)))
    numbers = np.round(pairs.sum(axis=1) * factor).astype(np.int64)
    likelihoods = weights / weights.sum(axis=2, keepdims=True)
    return random.multinomial(numbers, likelihoods)


def _root(covariance: Floats) -> Floats:
    """Return a matrix whose product with its transpose is the covariance, transposed."""
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = (vectors * np.sqrt(values.clip(0))).T
    return root


def _firsts(field: Field) -> Ints:
    """Return for each bot the first that it is the same as."""
    _, firsts, numbers = np.unique(field.groups, return_index=True, return_inverse=True)
    return firsts[numbers]
