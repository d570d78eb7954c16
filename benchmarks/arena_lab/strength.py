"""The engine's strength: paired games against plain alpha-beta with as many nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, pstdev
from time import perf_counter
from typing import TYPE_CHECKING

from arena.openings.drawing import find_openings
from arena.rules import Position, Ruleset

if TYPE_CHECKING:
    from arena.engine import Engine

BOARDS = (Ruleset(), Ruleset(rows=8, columns=8))


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    rules: Ruleset
    wins: int
    draws: int
    losses: int

    score: float
    """Points per game, 0 to 1."""

    error: float
    """Half the width of the score's 95 % interval; a pair of games is one observation."""

    move_ms: float

    def __str__(self) -> str:
        games = self.wins + self.draws + self.losses
        return (
            f"{self.rules}: {self.score:.1%} ± {self.error:.1%} of {games} games "
            f"({self.wins} won, {self.draws} drawn, {self.losses} lost), "
            f"{self.move_ms:.1f} ms a move"
        )


def against_plain(nodes: int = 10_000, openings: int = 200, seed: int = 1) -> Iterator[Strength]:
    """Play the engine against plain alpha-beta; return the engine's result."""
    from arena.engine import Engine  # loads numba, which takes half a second

    for rules in BOARDS:
        yield compare(Engine(rules), Engine.plain(rules), nodes=nodes, openings=openings, seed=seed)


def compare(one: Engine, other: Engine, *, nodes: int, openings: int, seed: int) -> Strength:
    """Play two engines for the same rules; return the result of the first.

    Deterministic except `move_ms`.
    """
    one.search(Position(one.rules), nodes=1)  # compile before measuring
    results: list[float] = []
    spent: list[float] = []
    for opening in find_openings(one.rules, openings, seed):
        results.append(_points(one, other, opening.columns, nodes, spent, first=0))
        results.append(_points(one, other, opening.columns, nodes, spent, first=1))
    pairs = [fmean(results[i : i + 2]) for i in range(0, len(results), 2)]
    return Strength(
        rules=one.rules,
        wins=results.count(1.0),
        draws=results.count(0.5),
        losses=results.count(0.0),
        score=fmean(pairs),
        error=1.96 * pstdev(pairs) / sqrt(len(pairs)),
        move_ms=1e3 * fmean(spent),
    )


def _points(
    one: Engine,
    other: Engine,
    columns: tuple[int, ...],
    nodes: int,
    spent: list[float],
    *,
    first: int,
) -> float:
    """Play a game; return the points of `one`, which moves first (0) or second (1)."""
    position = Position(one.rules, columns)
    starts = position.to_move
    while not position.is_over:
        mine = (position.ply - len(columns)) % 2 == first
        started = perf_counter()
        found = (one if mine else other).search(position, nodes=nodes)
        if mine:
            spent.append(perf_counter() - started)
        position.play(found.column)
    if position.winner is None:
        return 0.5
    return float((position.winner == starts) == (first == 0))
