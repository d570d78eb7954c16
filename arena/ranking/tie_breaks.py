"""Tie-breaks: they rank bots with the same share of points, one after another.

They are those of the FIDE Handbook, C.07, for individual tournaments, with its names. The second
player stands for black. A further tie-break is a name in `arena.contest.config` and an entry of
TIE_BREAKS; tables and pages take its words from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.contest import TieBreakName

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What n bots made in the games that count, as arrays in the order of the bots."""

    points: Floats
    """Points of the bot of the row against that of the column, n × n."""

    games: Floats
    """Games of the bot of the row against that of the column, n × n."""

    wins: Floats
    """Games won."""

    wins_as_second: Floats
    """Games won by the bot that did not move first."""

    faults: Floats
    """Games lost by a fault."""

    share: Floats
    """Points a game."""

    @classmethod
    def of(
        cls, points: Floats, games: Floats, *, wins: Floats, wins_as_second: Floats, faults: Floats
    ) -> Scores:
        """Return these scores, with each bot's share of its points."""
        return cls(
            points=points,
            games=games,
            wins=wins,
            wins_as_second=wins_as_second,
            faults=faults,
            share=points.sum(axis=1) / games.sum(axis=1).clip(min=1),
        )

    @property
    def score(self) -> Floats:
        """Points; of a bot with fewer games than others, those it would have with as many."""
        return self.share * float(self.games.sum(axis=1).max(initial=0))


Compute = Callable[[Scores, NDArray[np.int64]], Floats]
"""A function to a value for each bot from the scores and, for each bot, the number of its group:
bots of one group are level so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TieBreak:
    """One way to rank bots that have the same share of points."""

    compute: Compute
    """Its value for each bot."""

    is_sum: bool = True
    """True for a sum over a bot's games; it is scaled to the games of a bot that has most."""

    fewer_is_better: bool = False
    """True if the smaller value is ahead."""

    short: str
    """Its words in a list, as in `equal points: ranked by …, then …`."""

    words: str
    """Its words for somebody who meets it for the first time: `ahead of ann by …`."""


def _direct(scores: Scores, level: NDArray[np.int64]) -> Floats:
    """Compute points a game against the bots that are level; ½ without such games."""
    among = level[:, None] == level[None, :]
    points, games = ((each * among).sum(axis=1) for each in (scores.points, scores.games))
    share: Floats = np.divide(points, games, out=np.full(len(points), 0.5), where=games > 0)
    return share


def _sonneborn_berger(scores: Scores, level: NDArray[np.int64]) -> Floats:
    """Compute the sum of the opponents' points, each times what was made against it in a game."""
    return scores.points @ scores.score


def _buchholz(scores: Scores, level: NDArray[np.int64]) -> Floats:
    """Compute the sum of the opponents' points, for each game with it."""
    return scores.games @ scores.score


def _koya(scores: Scores, level: NDArray[np.int64]) -> Floats:
    """Compute the points made against bots with half of all points or more."""
    return scores.points @ (scores.share >= 0.5).astype(np.float64)


TIE_BREAKS: Mapping[TieBreakName, TieBreak] = MappingProxyType(
    {
        TieBreakName.DIRECT: TieBreak(
            compute=_direct,
            is_sum=False,
            short="the games among them",
            words="the games among those with these points",
        ),
        TieBreakName.SONNEBORN_BERGER: TieBreak(
            compute=_sonneborn_berger,
            short="Sonneborn–Berger",
            words="Sonneborn–Berger (a win counts as many points as the loser has)",
        ),
        TieBreakName.BUCHHOLZ: TieBreak(
            compute=_buchholz,
            short="Buchholz",
            words="Buchholz (the points that the opponents have)",
        ),
        TieBreakName.WINS: TieBreak(
            compute=lambda scores, level: scores.wins,
            short="more wins",
            words="the number of games won",
        ),
        TieBreakName.WINS_AS_SECOND: TieBreak(
            compute=lambda scores, level: scores.wins_as_second,
            short="more wins as second player",
            words="the number of games won as the second player",
        ),
        TieBreakName.KOYA: TieBreak(
            compute=_koya,
            short="Koya",
            words="Koya (the points against those with half of the points or more)",
        ),
        TieBreakName.FORFEITS: TieBreak(
            compute=lambda scores, level: scores.faults,
            fewer_is_better=True,
            short="fewer faults",
            words="the number of games lost by a fault",
        ),
    }
)
"""The tie-breaks by their names."""


def column_of(name: TieBreakName) -> str:
    """Return a tie-break's column in the standings. `wins` there are counted, not compared."""
    return f"tie_break_{name}"


def tie_break_values(scores: Scores, name: TieBreakName, level: NDArray[np.int64]) -> Floats:
    """Compute a tie-break so that it can be compared, whatever numbers of games bots have.

    `level` is for each bot the number of the group of bots that are level so far.
    """
    tie_break = TIE_BREAKS[name]
    values = tie_break.compute(scores, level)
    if not tie_break.is_sum:
        return values
    games = scores.games.sum(axis=1)
    scaled: Floats = values * games.max(initial=0) / games.clip(min=1)
    return scaled


class Separation(NamedTuple):
    """A bot with the same share of points and another rank."""

    other: str
    """Name of the other bot."""

    tie_break: TieBreak
    """The first tie-break in which they differ."""

    is_ahead: bool
    """True if the bot in question is ahead of the other."""


def separations(
    standings: pd.DataFrame, bot: str, tie_breaks: Sequence[TieBreakName]
) -> list[Separation]:
    """Say what separates a bot from those that are level with it but for these tie-breaks.

    Only the nearest above and the nearest below that do not share its rank are named.
    """
    row = standings.loc[bot]
    level = standings[(standings["measure"] == row["measure"]) & (standings["rank"] != row["rank"])]
    above, below = level[level["rank"] < row["rank"]][-1:], level[level["rank"] > row["rank"]][:1]
    return [
        Separation(
            str(other),
            next(
                TIE_BREAKS[name]
                for name in tie_breaks
                if level.at[other, column_of(name)] != row[column_of(name)]
            ),
            is_ahead,
        )
        for others, is_ahead in ((above, False), (below, True))
        for other in others.index
    ]
