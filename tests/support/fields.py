"""Fields and ratings for tests of grades and of certainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from arena.scoring.field import Field
from arena.scoring.grade_rules import Rule
from arena.statistics.bradley_terry import Ratings, fit, with_shared_openings
from arena_lab.synthetic import SyntheticResults

PLAYERS = frozenset({"random", "greedy", "novice", "reference", "master"})


def ranked(ranks: Mapping[str, int]) -> Field:
    """Return a field of bots with ranks only."""
    n = len(ranks)
    return Field(
        bots=tuple(ranks),
        house=PLAYERS & ranks.keys(),
        ranks=np.array(list(ranks.values())),
        groups=np.arange(n),
        ratings=Ratings(elo=np.zeros(n), covariance=np.eye(n)),
    )


def rated(elo: Mapping[str, float], error: float, same: Sequence[Sequence[str]] = ()) -> Field:
    """Return a field of bots with ratings and a standard error for each.

    `same` lists groups of identical bots.
    """
    bots = list(elo)
    groups = np.arange(len(bots))
    for names in same:
        groups[[bots.index(name) for name in names]] = bots.index(names[0])
    values = np.array(list(elo.values()))
    return Field(
        bots=tuple(bots),
        house=PLAYERS & elo.keys(),
        ranks=1 + (values[:, None] < values[None, :]).sum(axis=1),
        groups=groups,
        ratings=Ratings(
            elo=values, covariance=error**2 * (groups[:, None] == groups[None, :]).astype(float)
        ),
    )


def scored(pairs: Mapping[str, Mapping[str, Sequence[int]]]) -> Field:
    """Return a field of bots with results by bot and house player.

    A result counts opening pairs with 0, ½, 1, 1½ and 2 points.
    """
    bots = [*pairs, *sorted(PLAYERS)]
    none = [0] * 5
    return Field(
        bots=tuple(bots),
        house=PLAYERS,
        ranks=np.arange(1, len(bots) + 1),
        groups=np.arange(len(bots)),
        ratings=Ratings(elo=np.zeros(len(bots)), covariance=np.eye(len(bots))),
        pairs={
            player: np.array([pairs.get(bot, {}).get(player, none) for bot in bots], dtype=float)
            for player in sorted(PLAYERS)
        },
    )


def grades(rule: Rule, field: Field) -> dict[str, float]:
    """Return the students' grades by name."""
    values = rule.mark(field).values
    return {
        bot: float(value)
        for bot, value in zip(field.bots, values, strict=True)
        if bot not in field.house
    }


def reason(rule: Rule, field: Field, bot: str) -> str:
    return rule.mark(field).why(field.index(bot))


def fitted(results: SyntheticResults, held: Mapping[int, float] | None = None) -> Ratings:
    """Return ratings as a contest has them: every game counts for each of the two."""
    openings = len(results.points)
    sides = [results.points, 1 - results.points]
    players = [np.tile(side.repeat(2), openings) for side in (results.one, results.other)]
    one, other = np.concatenate(players), np.concatenate(players[::-1])
    opening = np.tile(results.opening.ravel().repeat(2).astype(np.int64), 2)
    points = np.concatenate([side.ravel() for side in sides])
    return with_shared_openings(fit(results.evidence(), held=held), one, other, opening, points)
