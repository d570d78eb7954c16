"""Standings: points, tie-breaks and shared ranks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.scoring.tie_breaks import Scores, TieBreakName
from arena.settings.contest import Contest
from arena.statistics.bradley_terry import Floats, Ints

DIGITS = 9  # compared decimals of shares and tie-breaks; half a point is always far more

NAMED, SIDES = ("game", "opening"), ("first", "second")


def results(games: pd.DataFrame, yardsticks: Collection[str] = ()) -> pd.DataFrame:
    """Return a row for each game and each bot for which the game counts.

    Columns: `bot`, `opponent`, `points` (1, ½ or 0), `forfeit` and, if the games have them, `game`
    and `opening`. For `yardsticks`, games won by the opponent's fault do not count; see
    `Contest.yardsticks`.
    """
    wanted = [name for name in (*NAMED, *SIDES, "winner", "loser", "fault") if name in games]
    games = games.loc[games["is_game"].astype(bool), wanted]
    sides = []
    for bot, opponent in (SIDES, SIDES[::-1]):
        won, lost = games["winner"] == games[bot], games["loser"] == games[bot]
        sides.append(
            pd.DataFrame(
                {
                    **{name: games[name] for name in NAMED if name in games},
                    "bot": games[bot],
                    "opponent": games[opponent],
                    "points": 0.5 + 0.5 * won - 0.5 * lost,
                    "forfeit": (games["fault"].astype(bool) & lost).astype(int),
                }
            )[~(games[bot].isin(yardsticks) & games["fault"].astype(bool) & won)]
        )
    return pd.concat(sides, ignore_index=True)


def standings_of(
    scores: Scores,
    bots: list[str],
    *,
    tie_breaks: Sequence[TieBreakName],
    ratings: pd.Series | None = None,
    same: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the standings, best first, indexed by bot.

    `scores` have the order of `bots`. Columns: rank, points, games, wins, draws, losses, forfeits,
    `share` (points a game), `measure` and all tie-breaks (`TieBreakName.column`). Bots are ranked
    by `measure` (`ratings` if given, else the share), then by `tie_breaks`; if still level, they
    share a rank (1, 2, 2, 4). `same` maps identical bots to one of them; each gets their mean.
    """
    group, _ = pd.factorize(pd.Index([(same or {}).get(bot, bot) for bot in bots]))

    def pooled(values: Floats) -> Floats:
        mean: Floats = np.bincount(group, values)[group] / np.bincount(group)[group]
        return mean.round(DIGITS)

    share = pooled(scores.share)
    measure = share if ratings is None else ratings.reindex(bots).to_numpy(np.float64)
    measure = np.nan_to_num(measure, nan=-np.inf)  # none of the bot's games counts
    scores = replace(scores, share=share)
    level = _levels(-measure)
    values = {name: pooled(name.values(scores, level)) for name in TieBreakName}
    keys = [-measure]
    for name in tie_breaks:
        values[name] = pooled(name.values(scores, level))
        keys.append(values[name] if name.fewer_is_better else -values[name])
        level = _levels(*keys)
    rank = 1 + (level[:, None] > level[None, :]).sum(axis=1)
    games, points = scores.games.sum(axis=1), scores.points.sum(axis=1)
    table = pd.DataFrame(
        {
            "rank": rank,
            "points": points,
            "games": games.astype(int),
            "wins": scores.wins.astype(int),
            "draws": (2 * (points - scores.wins)).astype(int),
            "losses": (games - 2 * points + scores.wins).astype(int),
            "forfeits": scores.faults.astype(int),
            "share": share,
            "measure": measure,
            **{name.column: values[name] for name in TieBreakName},
        },
        index=pd.Index(bots, name="bot"),
    )
    return table.sort_values("rank", kind="stable")


def _levels(*keys: Floats) -> Ints:
    _, level = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
    return level.reshape(-1)


def scores_of(results: pd.DataFrame, bots: list[str]) -> Scores:
    codes = pd.Index(bots)
    bot, opponent = (codes.get_indexer(pd.Index(results[side])) for side in ("bot", "opponent"))
    points, is_fault = (results[name].to_numpy() for name in ("points", "forfeit"))
    return summed(len(bots), bot, opponent, points, is_fault.astype(bool))


def summed(
    n: int,
    bot: NDArray[np.intp],
    opponent: NDArray[np.intp],
    points: Floats,
    is_fault: NDArray[np.bool_],
) -> Scores:
    """Return the sums of results of `n` bots, which are indices; see `results`."""

    def by_bot(values: NDArray[np.bool_]) -> Floats:
        return np.bincount(bot, values, n).astype(np.float64)

    def by_pairing(values: Floats | None) -> Floats:
        return np.bincount(bot * n + opponent, values, n * n).reshape(n, n).astype(np.float64)

    scores, games = by_pairing(points), by_pairing(None)
    return Scores(
        points=scores,
        games=games,
        wins=by_bot(points == 1),
        faults=by_bot(is_fault),
        share=scores.sum(axis=1) / games.sum(axis=1).clip(min=1),
    )


def contest_results(games: pd.DataFrame, contest: Contest) -> pd.DataFrame:
    return results(games, contest.yardsticks)


def contest_standings(
    games: pd.DataFrame,
    contest: Contest,
    ratings: pd.Series | None = None,
    same: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return a contest's standings; `ratings` count only if played until settled."""
    scores = scores_of(contest_results(games, contest), list(contest.playing))
    return contest_standings_of(scores, contest, ratings, same)


def contest_standings_of(
    scores: Scores,
    contest: Contest,
    ratings: pd.Series | None = None,
    same: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    return standings_of(
        scores,
        list(contest.playing),
        tie_breaks=contest.ranking.tie_breaks,
        ratings=ratings if contest.schedule.in_rounds else None,
        same=same,
    )


def meetings(results: pd.DataFrame) -> dict[tuple[str, str], tuple[float, int]]:
    sums = results.groupby(["bot", "opponent"])["points"].agg(["sum", "size"])
    return {pair: (points, games) for pair, points, games in sums.itertuples()}


def crosstable(results: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    points = results.pivot_table(index="bot", columns="opponent", values="points", aggfunc="sum")
    return points.reindex(index=order, columns=order)


class Separation(NamedTuple):
    other: str
    tie_break: TieBreakName
    is_ahead: bool


def separations(
    standings: pd.DataFrame, bot: str, tie_breaks: Sequence[TieBreakName]
) -> list[Separation]:
    """Return the nearest bots above and below a bot that only tie-breaks separate."""
    row = standings.loc[bot]
    level = standings[(standings["measure"] == row["measure"]) & (standings["rank"] != row["rank"])]
    above, below = level[level["rank"] < row["rank"]][-1:], level[level["rank"] > row["rank"]][:1]
    return [
        Separation(
            str(other),
            next(each for each in tie_breaks if level.at[other, each.column] != row[each.column]),
            is_ahead,
        )
        for others, is_ahead in ((above, False), (below, True))
        for other in others.index
    ]
