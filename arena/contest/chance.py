"""Scores of the engine's search as expected points, a draw counting as half.

The formula is a logistic regression: of the points in games between house players of all levels,
that each had an opening of random moves, on the scores of their positions. So an estimate says what
players of these levels come to on the average, not what perfect play would. `arena bench
--estimates` plays such games anew, fits the factors, and measures how far estimates are off in
games that none of them was fitted to. This module imports no numba.
"""

from __future__ import annotations

from math import exp, hypot

from arena.rules import Goal, Ruleset

NODES = 10_000
"""Positions that the search of a position takes whose score is turned into points."""

CALIBRATION_ERROR = 0.03
"""The expected calibration error over ten bins is below this on every preset's board, in games that
nothing was fitted to; a test and `arena bench --estimates` measure it."""

FIRST = (1.1, 16.0)
"""Goal `first`: factors of `terms`."""

MOST = (4.6, 1.0, 8.0)
"""Goal `most`: factors of `terms`."""

LEAST = 0.005
"""No estimate is nearer to 0 or 1: only what is certain is that."""

LINE_WORTH = 1_000
"""Goal `most`: what the engine's score has for each line that is made."""


def expected_points(rules: Ruleset, empty: int, score: int) -> float:
    """Return the points, between 0 and 1, that the side to move can expect from a search's score.

    `score` is what `Engine(rules).search(position, nodes=NODES)` found; `empty` cells are left.
    """
    factors = FIRST if rules.goal is Goal.FIRST else MOST
    weighed = zip(factors, terms(rules, empty, score), strict=True)
    points = 1 / (1 + exp(-sum(factor * term for factor, term in weighed)))
    return min(max(points, LEAST), 1 - LEAST)


def terms(rules: Ruleset, empty: int, score: int) -> tuple[float, ...]:
    """Return the terms of the regression: each turns its sign with the score's.

    Goal `first`: early in a game some threats ahead are what counts, however many, and late each
    of them. Goal `most`: lines that are made count apart from the rest of the score, and both say
    more about the result the fuller the board is.
    """
    filled = 1 - empty / rules.cells
    if rules.goal is Goal.FIRST:
        return _flattened(score, 30) ** 3 * (1 - filled), _flattened(score, 1000) * filled
    lines = (abs(score) + LINE_WORTH // 2) // LINE_WORTH * (1 if score > 0 else -1)
    ahead = _flattened(lines, 3)
    return _flattened(score - LINE_WORTH * lines, 80) * filled, ahead, ahead * filled


def _flattened(number: float, scale: float) -> float:
    """Return about number / scale for small numbers, and at most 1 for large ones."""
    return number / hypot(number, scale)
