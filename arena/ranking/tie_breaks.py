"""Tie-breaks: they rank bots with the same share of points, one after another.

A further tie-break is one more entry of TIE_BREAKS; tables and pages take its words from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

Compute = Callable[[pd.DataFrame, pd.DataFrame], pd.Series]
"""A function from `results` (two rows a game) and the table so far to a value for each bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TieBreak:
    """One way to rank bots that have the same share of points."""

    compute: Compute
    """Its value for each bot; bots that are missing from the result get `neutral`."""

    neutral: float
    """Its value for a bot without games."""

    fewer_is_better: bool = False
    """True if the smaller value is ahead."""

    short: str
    """Its words in a list, as in `equal points: ranked by …, then …`."""

    words: str
    """Its words for somebody who meets it for the first time: `ahead of ann by …`."""


def _direct(results: pd.DataFrame, table: pd.DataFrame) -> pd.Series:
    """Compute points a game against the bots with the same share of points."""
    share = table["share"]
    level = results["bot"].map(share) == results["opponent"].map(share)
    return results[level].groupby("bot")["points"].mean()


def _sonneborn_berger(results: pd.DataFrame, table: pd.DataFrame) -> pd.Series:
    """Compute the sum of points, each times the points of the opponent it was made against."""
    if results.empty:
        return pd.Series(dtype=float)
    beaten = results["points"] * results["opponent"].map(table["points"])
    return beaten.groupby(results["bot"]).sum()


def _forfeits(results: pd.DataFrame, table: pd.DataFrame) -> pd.Series:
    """Compute the number of games lost by a fault."""
    return table["forfeits"]


TIE_BREAKS: Mapping[str, TieBreak] = MappingProxyType(
    {
        "direct": TieBreak(
            compute=_direct,
            neutral=0.5,
            short="the games among them",
            words="the games among those with these points",
        ),
        "sonneborn_berger": TieBreak(
            compute=_sonneborn_berger,
            neutral=0.0,
            short="Sonneborn–Berger",
            words="Sonneborn–Berger (a win counts as many points as the loser has)",
        ),
        "forfeits": TieBreak(
            compute=_forfeits,
            neutral=0,
            fewer_is_better=True,
            short="fewer faults",
            words="the number of games lost by a fault",
        ),
    }
)
"""The tie-breaks by the names of their columns in the standings, in the order of their weight."""


class Separation(NamedTuple):
    """A bot with the same share of points and another rank."""

    other: str
    """Name of the other bot."""

    tie_break: TieBreak
    """The first tie-break in which they differ."""

    is_ahead: bool
    """True if the bot in question is ahead of the other."""


def separations(standings: pd.DataFrame, bot: str) -> list[Separation]:
    """Say what separates a bot from those with the same share of points.

    Only the nearest above and the nearest below that do not share its rank are named.
    """
    row = standings.loc[bot]
    level = standings[(standings["share"] == row["share"]) & (standings["rank"] != row["rank"])]
    above, below = level[level["rank"] < row["rank"]][-1:], level[level["rank"] > row["rank"]][:1]
    return [
        Separation(
            str(other),
            next(each for name, each in TIE_BREAKS.items() if level.at[other, name] != row[name]),
            is_ahead,
        )
        for others, is_ahead in ((above, False), (below, True))
        for other in others.index
    ]
