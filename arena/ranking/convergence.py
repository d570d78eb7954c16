"""Convergence: the ratings of a contest after the first opening, after two, and so on."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.contest import Contest
from arena.ranking.ratings import ContestRatings, evidence_of, ratings_of
from arena.ranking.standings import contest_results
from arena.statistics import Evidence

MOST_STEPS = 24
"""Numbers of openings for which ratings are computed at most: a curve needs no more points."""


def convergence(games: pd.DataFrame, contest: Contest, ratings: ContestRatings) -> pd.DataFrame:
    """Return ratings from a part of the games: a row for each bot, a column for each part.

    A column's name is a number of openings: each pairing's first so many count, in the order in
    which openings are numbered. A pairing that has not played as many counts with what it has. The
    last column has all. A bot has no rating where none of its games counts. `games` are as from
    `games_frame`.
    """
    rows = contest_results(games, contest)
    players = ratings.players
    begun = _openings_begun(rows, pd.Index(games["opening"].unique()))
    columns, before = {}, 0
    evidence = Evidence.none(len(set(players.values())))
    for step in _steps(int(begun.max(initial=0))):
        evidence += evidence_of(rows[(before < begun) & (begun <= step)], players)
        before = step
        columns[step] = ratings_of(evidence, players, contest)
    return pd.DataFrame(columns, index=pd.Index(players, name="bot"))


def _openings_begun(rows: pd.DataFrame, openings: pd.Index) -> NDArray[np.int64]:
    """Return for each result the place of its opening among those of its pairing, from 1."""
    codes, names = pd.factorize(pd.concat([rows["bot"], rows["opponent"]]))
    ends = np.sort(codes.reshape(2, -1), axis=0).astype(np.int64)
    pairing = ends[0] * len(names) + ends[1]
    opening = openings.get_indexer(pd.Index(rows["opening"]))
    unit = pairing * len(openings) + opening
    units, place = np.unique(unit, return_inverse=True)  # by pairing, then by opening
    of_pairing = units // max(len(openings), 1)
    _, start = np.unique(of_pairing, return_index=True)
    begun = np.arange(len(units)) - np.repeat(start, np.diff([*start, len(units)])) + 1
    return begun[place]


def _steps(openings: int) -> list[int]:
    """Return the numbers of openings for which ratings are computed; the last is all of them."""
    if not openings:
        return []
    steps = np.linspace(1, openings, min(openings, MOST_STEPS)).round().astype(int)
    return sorted(set(steps.tolist()))
