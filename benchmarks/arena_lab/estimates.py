"""The error of estimated chances, measured in games between levels of the engine.

Every level meets every level, with both sides of an opening of random moves, up to a third of the
board. So there are positions that no good player would choose, as in games of students' bots. Each
later position has a score, which gives the estimate, and the game's result.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, cycle, islice
from typing import TYPE_CHECKING

import numpy as np

from arena.analysis.worth import NODES, expected_points, terms
from arena.common.names import LEVELS
from arena.rules import RULESETS, Position, Ruleset
from arena.statistics.bradley_terry import Floats

if TYPE_CHECKING:
    from arena.engine import Engine


# Search limits of the players, from the weakest to the strongest.
BUDGETS: tuple[dict[str, int], ...] = (
    *({**LEVELS[name]} for name in ("greedy", "novice")),
    {"nodes": 1_000},
    {"nodes": NODES},
    {**LEVELS["master"]},
)

BINS = 10  # Equal parts of 0 to 1, to compare estimates with results.
CERTAIN = 400_000  # Larger scores, up or down, are forced wins and losses.
ROUNDS = 30  # Steps of Newton's method; a handful suffice.


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredGame:
    """A game with the score of every position after the opening."""

    opening_plies: int

    columns: tuple[int, ...]
    """All moves, the opening's included."""

    winner: int | None
    """0 or 1; None for a draw."""

    scores: tuple[int, ...]
    """Scores of the positions, for the side to move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """The quality of the estimates on one board, in games not used for fitting."""

    rules: Ruleset
    games: int
    estimates: int
    """Number of positions whose result is not certain."""

    error: float
    """Expected calibration error."""

    factors: tuple[float, ...]
    """The factors, fitted to as many other games on all boards with this goal."""

    def __str__(self) -> str:
        factors = ", ".join(f"{factor:.1f}" for factor in self.factors)
        return (
            f"{self.rules}: {self.error:.1%} calibration error in {self.estimates:,} positions of "
            f"{self.games:,} games; factors fitted to as many others: {factors}"
        )


def reliabilities(games: int = 1_500, seed: int = 1) -> Iterator[Reliability]:
    """Yield the reliability on each preset's board, in games of the seed `seed` + 1.

    The factors are fitted to games of `seed`. Those of seed 1, rounded, are in
    `arena.analysis.worth`.
    """
    for goal in dict.fromkeys(rules.goal for rules in RULESETS.values()):
        boards = [rules for rules in RULESETS.values() if rules.goal is goal]
        factors = fit_factors(
            (rules, game) for rules in boards for game in islice(scored_games(rules, seed), games)
        )
        for rules in boards:
            others = islice(scored_games(rules, seed + 1), games)
            estimates, points = estimates_and_points(rules, others)
            yield Reliability(
                rules=rules,
                games=games,
                estimates=len(points),
                error=calibration_error(estimates, points),
                factors=factors,
            )


def scored_games(rules: Ruleset, seed: int) -> Iterator[ScoredGame]:
    """Yield games without end; equal seeds yield equal games."""
    from arena.engine import Engine  # loads numba, which takes half a second

    engine = Engine(rules)
    rng = random.Random(seed)
    for one, other in cycle(combinations_with_replacement(BUDGETS, 2)):
        opening: tuple[int, ...] | None = None
        while opening is None:
            opening = _opening(rules, rng)
        yield _played(rules, opening, engine, (one, other))
        yield _played(rules, opening, engine, (other, one))


def _opening(rules: Ruleset, rng: random.Random) -> tuple[int, ...] | None:
    position = Position(rules)
    for _ in range(rng.randint(0, rules.cells // 3)):
        position.play(rng.choice(position.legal()))
        if position.is_over:
            return None
    return position.moves


def _played(
    rules: Ruleset,
    opening: tuple[int, ...],
    engine: Engine,
    budgets: tuple[dict[str, int], dict[str, int]],
) -> ScoredGame:
    position = Position(rules, opening)
    scores = []
    while not position.is_over:
        scored = engine.search(position, nodes=NODES)
        scores.append(scored.score)
        budget = budgets[position.to_move]
        own = scored if budget == {"nodes": NODES} else engine.search(position, **budget)
        position.play(own.column)
    return ScoredGame(
        opening_plies=len(opening),
        columns=position.moves,
        winner=position.winner,
        scores=tuple(scores),
    )


def estimates_and_points(rules: Ruleset, games: Iterable[ScoredGame]) -> tuple[Floats, Floats]:
    """Return (estimates, points won by the side to move) of all uncertain positions."""
    found = [
        (expected_points(rules, empty, score), points)
        for game in games
        for empty, score, points in _uncertain(rules, game)
    ]
    estimates, points = np.array(found, np.float64).reshape(-1, 2).T
    return estimates, points


def _uncertain(rules: Ruleset, game: ScoredGame) -> Iterator[tuple[int, int, float]]:
    """Yield (empty cells, score, points won) of every uncertain position."""
    for ply, score in enumerate(game.scores, game.opening_plies):
        if abs(score) <= CERTAIN:
            points = 0.5 if game.winner is None else float(game.winner == ply % 2)
            yield rules.cells - ply, score, points


def calibration_error(estimates: Floats, points: Floats) -> float:
    """Return the expected calibration error over `BINS` bins.

    This is the distance between mean estimate and mean result, averaged over the bins by number of
    positions (Naeini, Cooper and Hauskrecht 2015).
    """
    bins = np.minimum((estimates * BINS).astype(np.int64), BINS - 1)
    off = np.bincount(bins, points - estimates, BINS)
    return float(np.abs(off).sum() / len(points))


def fit_factors(games: Iterable[tuple[Ruleset, ScoredGame]]) -> tuple[float, ...]:
    """Return the factors of a logistic regression of points on terms.

    All games must have the same goal.
    """
    rows, results = [], []
    for rules, game in games:
        for empty, score, points in _uncertain(rules, game):
            rows.append(terms(rules, empty, score))
            results.append(points)
    known, came = np.array(rows), np.array(results)
    factors = np.zeros(known.shape[1])
    for _ in range(ROUNDS):
        expected = 1 / (1 + np.exp(-known @ factors))
        curvature = (known * (expected * (1 - expected))[:, None]).T @ known
        factors += np.linalg.solve(curvature, known.T @ (came - expected))
    return tuple(map(float, factors))
