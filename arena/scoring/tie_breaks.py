"""Tie-breaks: they rank bots with the same share of points, one after another.

They are those of the FIDE Handbook, C.07, for individual tournaments, with its names. The second
player stands for black. A further tie-break is a row of TieBreakName; contest files, standings,
tables and pages read it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from arena.statistics.bradley_terry import Floats, Ints


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


def _direct(scores: Scores, level: Ints) -> Floats:
    """Compute points a game against the bots that are level; ½ without such games."""
    among = level[:, None] == level[None, :]
    points, games = ((each * among).sum(axis=1) for each in (scores.points, scores.games))
    share: Floats = np.divide(points, games, out=np.full(len(points), 0.5), where=games > 0)
    return share


def _sonneborn_berger(scores: Scores, level: Ints) -> Floats:
    """Compute the sum of the opponents' points, each times what was made against it in a game."""
    return scores.points @ scores.score


def _buchholz(scores: Scores, level: Ints) -> Floats:
    """Compute the sum of the opponents' points, for each game with it."""
    return scores.games @ scores.score


def _koya(scores: Scores, level: Ints) -> Floats:
    """Compute the points made against bots with half of all points or more."""
    return scores.points @ (scores.share >= 0.5).astype(np.float64)


class TieBreakName(StrEnum):
    """The tie-breaks, as contest files name them."""

    short: str
    """Its words in a list, as in `equal points: ranked by …, then …`."""

    words: str
    """Its words for somebody who meets it for the first time: `ahead of ann by …`."""

    compute: Callable[[Scores, Ints], Floats]
    """A value for each bot, from the scores and, for each bot, the number of its group: bots of one
    group are level so far."""

    is_sum: bool
    """True for a sum over a bot's games; it is scaled to the games of a bot that has most."""

    fewer_is_better: bool
    """True if the smaller value is ahead."""

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
        _sonneborn_berger,
    )
    BUCHHOLZ = "buchholz", "Buchholz", "Buchholz (the points that the opponents have)", _buchholz
    WINS = "wins", "more wins", "the number of games won", lambda scores, level: scores.wins
    WINS_AS_SECOND = (
        "wins_as_second",
        "more wins as second player",
        "the number of games won as the second player",
        lambda scores, level: scores.wins_as_second,
    )
    KOYA = "koya", "Koya", "Koya (the points against those with half of the points or more)", _koya
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
        """Its column in the standings, where `wins` are counted, not compared."""
        return f"tie_break_{self}"

    def values(self, scores: Scores, level: Ints) -> Floats:
        """Compute it so that it can be compared, whatever numbers of games bots have.

        `level` is for each bot the number of the group of bots that are level so far.
        """
        values = self.compute(scores, level)
        if not self.is_sum:
            return values
        games = scores.games.sum(axis=1)
        scaled: Floats = values * games.max(initial=0) / games.clip(min=1)
        return scaled
