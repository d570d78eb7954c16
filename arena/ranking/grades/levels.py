"""The rule `levels`: grades by what a bot scores against house players, whoever else takes part.

A grade has thresholds, shares of points against house players. A bot gets the highest grade of
which it reaches all thresholds, or 0.
"""

from __future__ import annotations

from math import floor

import numpy as np

from arena.contest.thresholds import Thresholds
from arena.numbers import listed
from arena.ranking.grades.field import Field
from arena.ranking.grades.rule import Marks, Rule


def levels(thresholds: Thresholds) -> Rule:
    """Return the rule with these thresholds."""
    players = tuple(dict.fromkeys(name for needed in thresholds.values() for name in needed))
    return Rule(needs=players, mark=lambda field: _mark(field, thresholds, players))


def _mark(field: Field, thresholds: Thresholds, players: tuple[str, ...]) -> Marks:
    shares = {player: field.shares(player) for player in players}
    values = np.zeros(len(field.bots), dtype=np.int64)
    for grade, needed in thresholds.items():
        met = [shares[player] >= share for player, share in needed.items()]
        values[np.logical_and.reduce(met)] = grade

    def why(bot: int) -> str:
        own = {player: _has(shares[player][bot]) for player in players}
        reached = [
            f"{own[player]} against {player} ({_percent(share)} needed)"
            for player, share in thresholds.get(int(values[bot]), {}).items()
        ]
        clauses = [f"it scored {listed(reached)}"] if reached else []
        above = next((grade for grade in thresholds if grade > values[bot]), None)
        if above is not None:
            missing = [
                f"{_percent(share)} against {player} (it has {own[player]})"
                for player, share in thresholds[above].items()
                if not shares[player][bot] >= share
            ]
            clauses.append(f"grade {above} needs {listed(missing)}")
        return "; ".join(clauses)

    return Marks(values, why)


def _has(share: float) -> str:
    return "no game" if np.isnan(share) else _percent(share)


def _percent(share: float) -> str:
    """Write a share; rounded down, so that it never looks like a threshold that was missed."""
    return f"{floor(round(share * 1000, 6)) / 10:g} %"
