"""A contest's ratings: Elo points, intervals, ranges of ranks, convergence.

The model is in `arena.statistics`. Ratings and standings use the same results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.ranking.identical import Group, identical_bots, representatives
from arena.ranking.standings import contest_results, contest_standings
from arena.settings.contest import Contest
from arena.statistics.bradley_terry import (
    PRIOR,
    Evidence,
    Ratings,
    fit,
    information,
    intervals,
    superiority,
    surely_better,
    with_shared_openings,
)

DIGITS = 1  # decimals of ratings in tables


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestRatings:
    """A contest's ratings. Identical bots are one *player*."""

    players: Mapping[str, int]
    evidence: Evidence

    ratings: Ratings
    """By player, on the contest's scale. Without held ratings the covariance is of differences to
    the mean, weighted by information."""

    anchor: str | None
    """The bot whose rating fixes the scale; None if held ratings or the mean fix it."""

    table: pd.DataFrame
    """`rating`, `rating_low`, `rating_high` (95 %), `rank_low`, `rank_high` by bot; missing for
    bots without games that count."""

    likelihoods: NDArray[np.float64]
    remarks: Mapping[str, str]
    """Why a bot's rating is uncertain, by bot: `won every game, and may be …`."""

    def superiority(self, bot: str, other: str) -> float:
        return float(self.likelihoods[self.players[bot], self.players[other]])


def contest_ratings(
    games: pd.DataFrame, contest: Contest, same: Mapping[str, str] | None = None
) -> ContestRatings:
    players = players_of(contest.playing, same or {})
    rows = contest_results(games, contest)
    evidence = evidence_of(rows, players)
    points = rows["points"].to_numpy(np.float64)
    fitted = fit(evidence, held=held_players(players, contest))
    ratings = with_shared_openings(fitted, *_indices(rows, players), points)
    anchor = None
    if not contest.held:
        anchor = contest.ranking.anchor if contest.ranking.anchor in players else None
        # The mean is weighted by information, as the anchor may have won every game.
        ratings = ratings.centred(0, information(evidence.games, ratings.elo) + PRIOR)
        ratings = replace(ratings, elo=_shifted(ratings.elo, players, contest))
    return ContestRatings(
        players=players,
        evidence=evidence,
        ratings=ratings,
        anchor=anchor,
        table=_table(ratings, players, evidence),
        likelihoods=superiority(ratings),
        remarks=_remarks(evidence, players, contest),
    )


def held_players(players: Mapping[str, int], contest: Contest) -> dict[int, float]:
    return {players[name]: rating for name, rating in contest.held.items()}


def _shifted(
    elo: NDArray[np.float64], players: Mapping[str, int], contest: Contest
) -> NDArray[np.float64]:
    anchor = players.get(contest.ranking.anchor)
    zero = elo.mean() if anchor is None else elo[anchor]
    return elo - float(zero) + contest.ranking.anchor_rating


def ratings_of(evidence: Evidence, players: Mapping[str, int], contest: Contest) -> pd.Series:
    """Return only the ratings, as in `contest_ratings`, by bot; NaN without games."""
    held = held_players(players, contest)
    elo = fit(evidence, held=held).elo
    own = np.fromiter(players.values(), np.int64, len(players))
    rating = (elo if held else _shifted(elo, players, contest))[own].round(DIGITS)
    rating[evidence.games.sum(axis=1)[own] == 0] = np.nan
    return pd.Series(rating, index=pd.Index(players, name="bot"))


def players_of(bots: Iterable[str], same: Mapping[str, str]) -> dict[str, int]:
    """Return each bot's player as an index; `same` maps identical bots to one of them."""
    first = {bot: same.get(bot, bot) for bot in bots}
    index = {name: place for place, name in enumerate(dict.fromkeys(first.values()))}
    return {bot: index[name] for bot, name in first.items()}


def evidence_of(rows: pd.DataFrame, players: Mapping[str, int]) -> Evidence:
    """Return the evidence in `results`; two players' games of an opening are one unit."""
    n = len(set(players.values()))
    one, other, opening = _indices(rows, players)
    low, high = np.minimum(one, other), np.maximum(one, other)
    units, unit = np.unique(
        (low * n + high) * (opening.max(initial=0) + 1) + opening, return_inverse=True
    )
    points = rows["points"].to_numpy(np.float64)
    is_low = one == low

    def summed(values: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        sums = np.bincount(unit[chosen], values[chosen], minlength=len(units))
        return sums.astype(np.float64)

    ones, sides = np.ones_like(points), (is_low, ~is_low)
    games_low, games_high = (summed(ones, side) for side in sides)
    points_low, points_high = (summed(points, side) for side in sides)
    pair = units // (opening.max(initial=0) + 1)
    return Evidence.of(n, pair // n, pair % n, (games_low, games_high), (points_low, points_high))


def _indices(
    rows: pd.DataFrame, players: Mapping[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    names, own = pd.Index(players), np.fromiter(players.values(), np.int64, len(players))
    one, other = (own[names.get_indexer(pd.Index(rows[side]))] for side in ("bot", "opponent"))
    return one, other, pd.factorize(rows["opening"])[0].astype(np.int64)


def _table(ratings: Ratings, players: Mapping[str, int], evidence: Evidence) -> pd.DataFrame:
    own = np.fromiter(players.values(), np.int64, len(players))
    low, high = intervals(ratings)
    better = surely_better(ratings)[np.ix_(own, own)]
    table = pd.DataFrame(
        {
            "rating": ratings.elo[own].round(DIGITS),
            "rating_low": low[own].round(DIGITS),
            "rating_high": high[own].round(DIGITS),
            "rank_low": (1 + better.sum(axis=0)).astype(np.float64),
            "rank_high": (len(own) - better.sum(axis=1)).astype(np.float64),
        },
        index=pd.Index(players, name="bot"),
    )
    table[evidence.games.sum(axis=1)[own] == 0] = np.nan
    return table.astype({"rank_low": "Int64", "rank_high": "Int64"})


def _remarks(evidence: Evidence, players: Mapping[str, int], contest: Contest) -> dict[str, str]:
    games, points = evidence.games.sum(axis=1), evidence.points.sum(axis=1)
    all_level = (evidence.points_squared * 4 == evidence.games_squared).all(axis=1)
    fixing = [players[name] for name in contest.held or [contest.ranking.anchor] if name in players]
    is_met = _linked(evidence, fixing or [int(games.argmax())])
    remarks = {}
    for bot, player in players.items():
        if games[player] == 0:
            remarks[bot] = "no games that count, so no rating"
        elif not is_met[player]:
            remarks[bot] = "no games that link it with the others, so they cannot be compared"
        elif bot in contest.held:
            continue
        elif points[player] == games[player]:
            remarks[bot] = "won every game, and may be far stronger than the rating says"
        elif points[player] == 0:
            remarks[bot] = "lost every game, and may be far weaker than the rating says"
        elif all_level[player] and 2 * points[player] == games[player]:
            remarks[bot] = "scored half in every opening, so the rating's interval is a rough guess"
    return remarks


def _linked(evidence: Evidence, start: Sequence[int]) -> NDArray[np.bool_]:
    met = (evidence.games > 0) | (evidence.games.T > 0)
    linked: NDArray[np.bool_] = np.isin(np.arange(evidence.players), start)
    while (further := linked | met[linked].any(axis=0)).sum() > linked.sum():
        linked = further
    return linked


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedGames:
    contest: Contest
    games: pd.DataFrame
    same: tuple[Group, ...]
    ratings: ContestRatings
    standings: pd.DataFrame


def rank_games(games: pd.DataFrame, contest: Contest) -> RankedGames:
    same = identical_bots(games, contest)
    first = representatives(same)
    ratings = contest_ratings(games, contest, first)
    standings = contest_standings(games, contest, ratings.table["rating"], first)
    return RankedGames(
        contest=contest, games=games, same=same, ratings=ratings, standings=standings
    )


def contest_of(contest: Contest, bots: frozenset[str]) -> Contest:
    return replace(contest, bots={name: bot for name, bot in contest.bots.items() if name in bots})


MOST_STEPS = 24  # columns of `convergence`, at most


def convergence(games: pd.DataFrame, contest: Contest, ratings: ContestRatings) -> pd.DataFrame:
    """Return ratings by bot (row) from more and more openings (columns).

    A column's name is a number of openings: of each pairing, the first that many count. The last
    column has all games. A bot without games has no rating.
    """
    rows = contest_results(games, contest)
    players = ratings.players
    places = _opening_places(rows, games)
    columns, before = {}, 0
    evidence = Evidence.none(len(set(players.values())))
    for step in _steps(int(places.max(initial=0))):
        evidence += evidence_of(rows[(before < places) & (places <= step)], players)
        before = step
        columns[step] = ratings_of(evidence, players, contest)
    return pd.DataFrame(columns, index=pd.Index(players, name="bot"))


def _opening_places(rows: pd.DataFrame, games: pd.DataFrame) -> NDArray[np.int64]:
    """Return the position of each result's opening within its pairing, from 1."""
    began = games.groupby(["pairing", "opening"], sort=False)["game"].transform("min")
    places = began.groupby(games["pairing"]).rank("dense").astype(np.int64)
    return np.asarray(places.set_axis(games["game"]).loc[rows["game"]], dtype=np.int64)


def _steps(openings: int) -> list[int]:
    if not openings:
        return []
    steps = np.linspace(1, openings, min(openings, MOST_STEPS)).round().astype(int)
    return sorted(set(steps.tolist()))
