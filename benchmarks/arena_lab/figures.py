"""The figures of simulated classes, their means, and the advice that follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import sqrt
from typing import TypeVar

import numpy as np

from arena.statistics.bradley_terry import Floats

WANTED = 0.95  # Wanted share of grades within one point of the grades by true strength.
HALF = 0.5  # A grade that is further from another one is another grade.
TINY = 1e-9  # More than errors of rounding.


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderQuality:
    """The quality of a class's ratings and ranks; means over its students."""

    rating_coverage: float
    """Share of the ratings' 95 % intervals that contain the true strength.

    Ratings are shifted to the true mean of all players, weighted by the information of their games.
    """

    difference_coverage: float
    """Share of the 95 % intervals of differences between two students that contain the true one."""

    rank_coverage: float
    """Share of the rank ranges that contain the rank by true strength."""

    ranks: float
    """Number of ranks in a rank range."""

    rating_error: float
    """Half the width of a rating's interval, in Elo points."""

    rank_error: float
    """Distance between a rank and the rank by true strength."""

    rank_correlation: float
    """Correlation of the students' ranks with those by true strength (Spearman 1904)."""

    top_ten: float
    """Share of the ten best students that are among the first ten."""

    neighbours_wrong: float
    """Share of neighbours in the table that are in the wrong order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeErrors:
    """The quality of a class's grades by one rule, as shares of its students."""

    wrong: float
    """The grade differs from the grade by true strength by more than half a point."""

    far: float
    """The grade differs from it by more than one point."""

    within_half: float
    """The grade is within half a point of its mean over seeds, so over draws of the openings."""

    within_one: float
    """The grade is within one point of this mean."""

    covered: float = 0.0
    """This mean is in the grade's printed interval; 0 with fewer than MANY seeds."""

    moved_by_bot: float = 0.0
    """One bot more or less changes the grade by more than half a point; 0 if `in_rounds`, and if
    there are only two bots."""

    moved_by_opening: float = 0.0
    """One opening more changes the grade by more than half a point; 0 in the same cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRow:
    """The figures of contests of one length, of one class or as means over classes."""

    openings: int
    """Openings of every pairing; at most this number if `in_rounds`."""

    in_rounds: bool
    """True if the contest chooses its games; False for a round robin."""

    games: float
    order: OrderQuality

    grades: Mapping[str, GradeErrors]
    """Errors by grade rule."""


def distances(grades: Floats) -> Floats:
    """Return how far grades are from their means over contests; `grades` are contests × bots."""
    far: Floats = np.abs(grades - grades.mean(axis=0)) - TINY
    return far


def near_means(grades: Floats, errors: Floats) -> dict[str, float]:
    """Return the shares of grades that are near their means over contests, by name.

    `grades` are contests × bots; `errors`, of the first contests, are those of the grades.
    """
    far = distances(grades)
    return {
        "within_half": float(np.mean(far <= HALF)),
        "within_one": float(np.mean(far <= 1)),
        "covered": float(np.mean(far[: len(errors)] <= errors)) if len(errors) else 0.0,
    }


def moved(grades: Floats, others: Floats) -> float:
    """Return the share of grades that differ by more than half a point."""
    return float(np.mean(np.abs(grades - others) > HALF + TINY))


MANY = 20  # seeds from which their mean is known well enough to check intervals

Figures = TypeVar("Figures", OrderQuality, GradeErrors)


def means(classes: Sequence[tuple[SimulatedRow, ...]]) -> tuple[SimulatedRow, ...]:
    """Return the mean rows of one or more classes."""
    return _combined(classes, lambda values: float(np.mean(values)))


def standard_errors(classes: Sequence[tuple[SimulatedRow, ...]]) -> tuple[SimulatedRow, ...]:
    """Return the standard errors of the means; NaN if there is only one class."""
    return _combined(classes, lambda values: float(np.std(values, ddof=1) / sqrt(len(values))))


def _combined(
    classes: Sequence[tuple[SimulatedRow, ...]], combine: Callable[[Sequence[float]], float]
) -> tuple[SimulatedRow, ...]:
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
    """Return the round robin with the fewest openings sufficient for a rule, or None.

    Openings suffice if a share of at least WANTED of the grades is, on average, within one point of
    the grades by true strength.
    """
    enough = (row for row in rows if not row.in_rounds and 1 - row.grades[rule].far >= WANTED)
    return next(enough, None)


def round_robin_games(rows: Sequence[SimulatedRow], rank_error: float) -> float | None:
    """Return the number of games in which a round robin has this mean rank error.

    Interpolated between the round robins in `rows`, on logarithmic scales, as the error falls with
    the root of the games. Returns None for an error outside of their range.
    """
    known = sorted(
        (row.order.rank_error, row.games)
        for row in rows
        if not row.in_rounds and row.order.rank_error > 0
    )
    if not known or not known[0][0] <= rank_error <= known[-1][0]:
        return None
    errors, games = np.log(np.transpose(known))
    return float(np.exp(np.interp(np.log(rank_error), errors, games)))
