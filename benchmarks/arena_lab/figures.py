"""The figures of simulated classes, their means, and the advice that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import sqrt
from typing import TypeVar

import numpy as np

WANTED = 0.95
"""Share of the grades that are to be within one point of those of the true strengths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderQuality:
    """How good the ratings and ranks of a class are; means over its students."""

    rating_coverage: float
    """Share of the 95 % intervals of ratings that contain the true strength, on the scale on which
    the mean of all is known; in it each weighs as much as its games tell."""

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
class SimulatedRow:
    """The figures of contests of one length: of one class, or as means over classes."""

    openings: int
    """Openings of every pairing; of a contest that ends when it is settled, the most of one."""

    until_settled: bool
    """True if the contest ends when it is settled, False for a round robin."""

    games: float
    """Games of the contest."""

    order: OrderQuality
    """Ratings and ranks."""

    grades: Mapping[str, GradeErrors]
    """Grades, by the name of their rule."""


Figures = TypeVar("Figures", OrderQuality, GradeErrors)


def means(classes: Sequence[tuple[SimulatedRow, ...]]) -> tuple[SimulatedRow, ...]:
    """Return the means over classes, of which there is at least one."""
    return _combined(classes, lambda values: float(np.mean(values)))


def standard_errors(classes: Sequence[tuple[SimulatedRow, ...]]) -> tuple[SimulatedRow, ...]:
    """Return the standard errors of these means, NaN for one class."""
    return _combined(classes, lambda values: float(np.std(values, ddof=1) / sqrt(len(values))))


def _combined(
    classes: Sequence[tuple[SimulatedRow, ...]], combine: Callable[[Sequence[float]], float]
) -> tuple[SimulatedRow, ...]:
    """Combine each figure over the classes."""

    def combined(parts: Sequence[Figures]) -> Figures:
        names = [field.name for field in fields(parts[0])]
        values = {name: combine([getattr(part, name) for part in parts]) for name in names}
        return type(parts[0])(**values)

    return tuple(
        replace(
            rows[0],
            games=combine([row.games for row in rows]),
            order=combined([row.order for row in rows]),
            grades={name: combined([row.grades[name] for row in rows]) for name in rows[0].grades},
        )
        for rows in zip(*classes, strict=True)
    )


def advised(rows: Sequence[SimulatedRow], rule: str) -> SimulatedRow | None:
    """Return the round robin with the fewest openings that suffice for grades by a rule, if any.

    They suffice if on average at least WANTED of the grades are within one point of those of the
    true strengths.
    """
    enough = (row for row in rows if not row.until_settled and 1 - row.grades[rule].far >= WANTED)
    return next(enough, None)


def round_robin_games(rows: Sequence[SimulatedRow], rank_error: float) -> float | None:
    """Return how many games a round robin needs for a mean rank error.

    It is interpolated between the round robins among the rows, on logarithmic scales, as the error
    falls with the root of the games; None if it is outside of them.
    """
    known = sorted(
        (row.order.rank_error, row.games)
        for row in rows
        if not row.until_settled and row.order.rank_error > 0
    )
    if not known or not known[0][0] <= rank_error <= known[-1][0]:
        return None
    errors, games = np.log(np.transpose(known))
    return float(np.exp(np.interp(np.log(rank_error), errors, games)))
