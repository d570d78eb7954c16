"""Simulated contests between bots of known strength: how sure ranks, ratings and grades are.

A class is drawn, plays its openings as a contest does, and is ranked and graded by the same
functions. Then all of it is compared with the strengths that the class was drawn with.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import partial
from math import sqrt
from statistics import NormalDist
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.contest import Contest, GradeRule, Grading
from arena.host.sandbox import die_with_parent
from arena.intake import YARDSTICK
from arena.ranking.grades import Rule, field_by_rating, rule_of, true_field
from arena.ranking.grades.field import ranks_of
from arena.statistics import (
    LEVEL,
    Evidence,
    Ratings,
    difference_errors,
    fit,
    intervals,
    surely_better,
)
from arena.statistics.synthetic import Population, Results, draw_class

Floats = NDArray[np.float64]

HOUSE: Mapping[str, float] = MappingProxyType(
    {"random": -785, "greedy": 105, "novice": 285, "reference": 485, "master": 560}
)
"""Strengths of the house players in Elo points, 0 being the mean of the class: those measured
against the demo bots, `arena run bots greedy novice master`."""

USUAL = Population(spread=250.0, bias=100.0, draws=0.15, house=tuple(HOUSE.values()))
"""The usual class. The spread is an assumption, the openings' bias and the draws are measured as
the strengths in HOUSE are, with openings as `arena run` draws them."""

RULES = (GradeRule.SEED, GradeRule.CURVE, GradeRule.LEVELS)
"""The grade rules that are compared."""

WANTED = 0.95
"""Share of the grades that are to be within one point of those of the true strengths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """The contests to simulate."""

    population: Population = USUAL
    """The distribution of the classes; its `house` are the players named in `house`, in order."""

    house: tuple[str, ...] = tuple(HOUSE)
    """Names of the house players that take part."""

    openings: tuple[int, ...] = (1, 2, 5, 10, 20)
    """Numbers of openings to look at, in ascending order."""

    @property
    def bots(self) -> tuple[str, ...]:
        """Names of all players, students first."""
        students = (f"student {number + 1}" for number in range(self.population.players))
        return (*students, *self.house)

    def games(self, openings: int) -> int:
        """Return the number of games of a round robin with so many openings."""
        players = len(self.bots)
        return players * (players - 1) * openings

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The grade rules that the house players allow, by name."""
        contests = {rule.value: Contest(grades=Grading(rule=rule)) for rule in RULES}
        rules = {name: rule_of(contest) for name, contest in contests.items()}
        return {name: rule for name, rule in rules.items() if rule and self._allows(rule)}

    def _allows(self, rule: Rule) -> bool:
        return set(rule.needs) <= set(self.house)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How good the ratings and ranks of a class are; means over its students."""

    rating_coverage: float
    """Share of the 95 % intervals of ratings that contain the true strength, on the scale on which
    the reference is known, or else the mean of all."""

    difference_coverage: float
    """Share of the 95 % intervals of differences between two students that contain the true one."""

    rank_coverage: float
    """Share of the ranges of ranks that contain the rank by true strength."""

    ranks: float
    """Number of ranks in such a range."""

    rating_error: float
    """Half the width of a rating's interval, in Elo points."""

    rank_error: float
    """Ranks between a student's and that by true strength."""

    neighbours_wrong: float
    """Share of neighbours in the table of which the lower is the stronger one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeErrors:
    """How good the grades of a class are by one rule, as shares of its students."""

    wrong: float
    """Those whose grade is not that of their true strength."""

    far: float
    """Those whose grade is more than one point from it."""

    changed: float
    """Those who get another grade with another seed, which means with other openings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The outcome of so many openings: of one class, or as means over classes."""

    openings: int
    """Openings of every pairing."""

    games: int
    """Games of the contest."""

    order: Order
    """Ratings and ranks."""

    grades: Mapping[str, GradeErrors]
    """Grades, by the name of their rule."""


Figures = TypeVar("Figures", Order, GradeErrors)


def simulate_classes(
    scenario: Scenario, classes: int, seed: int, workers: int
) -> Iterator[tuple[Row, ...]]:
    """Yield the rows of one class after another, a row for each number of openings.

    They depend on the seed, not on the number of workers, which are processes.
    """
    with ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("fork"),
        initializer=_start_worker,
        initargs=(os.getpid(),),
    ) as executor:
        seeds = [seed << 32 | number for number in range(classes)]
        try:
            yield from executor.map(partial(simulate_class, scenario), seeds)
        finally:
            executor.shutdown(cancel_futures=True)


def _start_worker(parent: int) -> None:
    """Leave a terminal's Ctrl-C to the main process, and end when that ends."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    die_with_parent(parent)


def simulate_class(scenario: Scenario, seed: int) -> tuple[Row, ...]:
    """Draw a class, let it play with two seeds, and compare the outcome with the truth."""
    drawn = draw_class(scenario.population, seed)
    plays = [drawn.play(scenario.openings[-1], seed=number) for number in (1, 2)]
    evidence = [Evidence.none(len(drawn.elo)) for _ in plays]
    rows, played = [], 0
    for openings in scenario.openings:
        new = [results.evidence(played, openings) for results in plays]
        evidence = [known + more for known, more in zip(evidence, new, strict=True)]
        ratings = [fit(each) for each in evidence]
        played = openings
        rows.append(
            Row(
                openings=openings,
                games=scenario.games(openings),
                order=_order(scenario, ratings[0], drawn.elo),
                grades=_grade_errors(scenario, plays, ratings, openings, drawn.elo),
            )
        )
    return tuple(rows)


def _order(scenario: Scenario, ratings: Ratings, strengths: Floats) -> Order:
    """Compare ratings, ranks, and how sure they claim to be, with the true strengths."""
    students = np.arange(scenario.population.players)
    if YARDSTICK in scenario.house:
        anchor = scenario.bots.index(YARDSTICK)
        ratings = ratings.anchored(anchor, strengths[anchor])
    else:
        ratings = ratings.centred(strengths.mean())
    low, high = intervals(ratings)
    errors = ratings.elo - strengths
    allowed = NormalDist().inv_cdf((1 + LEVEL) / 2) * difference_errors(ratings)
    differences = np.abs(errors[:, None] - errors[None, :]) <= allowed
    better = surely_better(ratings)
    rank_low, rank_high = 1 + better.sum(axis=0), len(strengths) - better.sum(axis=1)
    ranks, true_ranks = ranks_of(ratings.elo), ranks_of(strengths)
    in_order = strengths[students][np.argsort(-ratings.elo[students], kind="stable")]
    return Order(
        rating_coverage=_mean(((low <= strengths) & (strengths <= high))[students]),
        difference_coverage=_mean(differences[np.triu_indices(len(students), 1)]),
        rank_coverage=_mean(((rank_low <= true_ranks) & (true_ranks <= rank_high))[students]),
        ranks=_mean((1 + rank_high - rank_low)[students]),
        rating_error=_mean((high - low)[students] / 2),
        rank_error=_mean(np.abs(ranks - true_ranks)[students]),
        neighbours_wrong=_mean(in_order[1:] > in_order[:-1]),
    )


def _grade_errors(
    scenario: Scenario,
    plays: Sequence[Results],
    ratings: Sequence[Ratings],
    openings: int,
    strengths: Floats,
) -> Mapping[str, GradeErrors]:
    """Grade two plays of a class by each rule, and compare the first with the truth."""
    bots, house = scenario.bots, scenario.house
    truth = true_field(bots, house, strengths, openings)
    fields = [
        field_by_rating(bots, house, rated, openings, _pairs(scenario, results, openings))
        for results, rated in zip(plays, ratings, strict=True)
    ]
    errors = {}
    for name, rule in scenario.rules.items():
        deserved, given, again = (
            rule.mark(each).values[: scenario.population.players] for each in (truth, *fields)
        )
        errors[name] = GradeErrors(
            wrong=_mean(given != deserved),
            far=_mean(np.abs(given - deserved) > 1),
            changed=_mean(given != again),
        )
    return errors


def _pairs(scenario: Scenario, results: Results, openings: int) -> Mapping[str, Floats]:
    """Return for each house player how many opening pairs brought each bot 0, ½ … 2 points."""
    points = results.points[:openings].sum(axis=2)
    counts = {}
    for player, name in enumerate(scenario.house, scenario.population.players):
        counts[name] = np.zeros((results.players, 5))
        for bots, own, told in (
            (results.one, points, results.other == player),
            (results.other, 2 - points, results.one == player),
        ):
            rows = np.broadcast_to(bots[told], own[:, told].shape)
            np.add.at(counts[name], (rows, np.rint(2 * own[:, told]).astype(np.int64)), 1)
    return counts


def _mean(values: NDArray[np.generic]) -> float:
    return float(np.mean(values.astype(np.float64)))


def means(classes: Sequence[tuple[Row, ...]]) -> tuple[Row, ...]:
    """Return the means over classes, of which there is at least one."""
    return _combined(classes, lambda values: float(np.mean(values)))


def standard_errors(classes: Sequence[tuple[Row, ...]]) -> tuple[Row, ...]:
    """Return the standard errors of these means, NaN for one class."""
    return _combined(classes, lambda values: float(np.std(values, ddof=1) / sqrt(len(values))))


def _combined(
    classes: Sequence[tuple[Row, ...]], combine: Callable[[Sequence[float]], float]
) -> tuple[Row, ...]:
    """Combine each figure over the classes."""

    def combined(parts: Sequence[Figures]) -> Figures:
        names = [field.name for field in fields(parts[0])]
        values = {name: combine([getattr(part, name) for part in parts]) for name in names}
        return type(parts[0])(**values)

    return tuple(
        replace(
            rows[0],
            order=combined([row.order for row in rows]),
            grades={name: combined([row.grades[name] for row in rows]) for name in rows[0].grades},
        )
        for rows in zip(*classes, strict=True)
    )


def advised(rows: Sequence[Row], rule: str) -> Row | None:
    """Return the row with the fewest openings that suffice for grades by a rule, if any do.

    They suffice if on average at least WANTED of the grades are within one point of those of the
    true strengths.
    """
    return next((row for row in rows if 1 - row.grades[rule].far >= WANTED), None)
