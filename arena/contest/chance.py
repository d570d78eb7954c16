"""Scores of a search as expected points: what games of the house players came to from such scores.

The points are those of the side to move, a draw counting as half. They are an estimate for players
of these levels, not the value of perfect play. This module imports no numba.
"""

from __future__ import annotations

from math import exp

from arena.rules import Goal, Ruleset

NODES = 10_000
"""Positions that the search of a position takes whose score is to be turned into points."""

LEAST = 0.005
"""No estimate is nearer to 0 or 1: those are for what is certain."""

SCALE = {Goal.FIRST: 120.0, Goal.MOST: 900.0}
"""Score that is worth 1 in the logistic curve."""


def expected_points(rules: Ruleset, empty: int, score: int) -> float:
    """Return the points, between 0 and 1, that the side to move can expect from a search's score.

    `score` is what `Engine(rules).search(position, nodes=NODES)` found; `empty` cells are left.
    """
    # a forced win is far above: the exponent is cut off before it overflows
    exponent = max(-20.0, min(20.0, -score / SCALE[rules.goal]))
    return max(LEAST, min(1 - LEAST, 1 / (1 + exp(exponent))))
