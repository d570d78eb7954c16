"""Tie-breaks: they order bots with equal shares of points, one after another.

They follow the FIDE Handbook, C.07, for individual tournaments; the second player is black. To add
a tie-break, add a row to TieBreakName.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from arena.statistics.bradley_terry import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    points: Floats
    """n × n: points of the row's bot against the column's."""

    games: Floats
    """n × n: games of the row's bot against the column's."""

    wins: Floats

    faults: Floats
    """Games that each bot lost by a fault."""

    share: Floats
    """Points a game of each bot."""

    @property
    def score(self) -> Floats:
        """Points, scaled as if every bot had played the largest number of games."""
        return self.share * float(self.games.sum(axis=1).max(initial=0))


def _direct(scores: Scores, level: Ints) -> Floats:
    """Return each bot's points per game against the bots level with it; ½ without games."""
    among = level[:, None] == level[None, :]
    points, games = ((each * among).sum(axis=1) for each in (scores.points, scores.games))
    share: Floats = np.divide(points, games, out=np.full(len(points), 0.5), where=games > 0)
    return share


class TieBreakName(StrEnum):
    short: str
    """Name in a list: `equal points: ranked by …, then …`."""

    words: str
    """Explanation for readers who do not know the name: `ahead of ann by …`."""

    compute: Callable[[Scores, Ints], Floats]
    """Takes the scores and the bots' level groups; returns a value for each bot."""

    is_sum: bool
    """True for a sum over games; `values` scales it to the largest number of games."""

    fewer_is_better: bool

    def __new__(
        cls,
        name: str,
        short: str,
        words: str,
        compute: Callable[[Scores, Ints], Floats],
        is_sum: bool = True,
        fewer_is_better: bool = False,
    ) -> TieBreakName:
        row = str.__new__(cls, name)
        row._value_, row.short, row.words, row.compute = name, short, words, compute
        row.is_sum, row.fewer_is_better = is_sum, fewer_is_better
        return row

    DIRECT = (
        "direct",
        "the games among them",
        "the games among those with these points",
        _direct,
        False,
    )
    SONNEBORN_BERGER = (
        "sonneborn_berger",
        "Sonneborn–Berger",
        "Sonneborn–Berger (a win counts as many points as the loser has)",
        lambda scores, level: scores.points @ scores.score,
    )
    WINS = "wins", "more wins", "the number of games won", lambda scores, level: scores.wins
    FORFEITS = (
        "forfeits",
        "fewer faults",
        "the number of games lost by a fault",
        lambda scores, level: scores.faults,
        True,
        True,
    )

    @property
    def column(self) -> str:
        return f"tie_break_{self}"

    def values(self, scores: Scores, level: Ints) -> Floats:
        """Return values that can be compared, even for different numbers of games.

        `level` holds a number for each bot, equal for bots that are level so far.
        """
        values = self.compute(scores, level)
        if not self.is_sum:
            return values
        games = scores.games.sum(axis=1)
        scaled: Floats = values * games.max(initial=0) / games.clip(min=1)
        return scaled
