"""Standings: points, tie-breaks and shared ranks."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from arena.contest import Contest, Format
from arena.contest.config import Forfeits
from arena.ranking.tie_breaks import TIE_BREAKS

DIGITS = 9
"""Decimals to which shares of points and tie-breaks are compared: far finer than a half point of
any contest."""


def results(games: pd.DataFrame, yardsticks: Collection[str] = ()) -> pd.DataFrame:
    """Return two rows a game that counts.

    Columns: `bot`, `opponent`, `points` (1, ½ or 0), `forfeit` and, if the games have it,
    `opening`. For `yardsticks` games that were won by the other's fault do not count, see
    `contest_yardsticks`.
    """
    games = games[games["is_game"].astype(bool)]
    sides = []
    for bot, opponent in (("first", "second"), ("second", "first")):
        won, lost = games["winner"] == games[bot], games["loser"] == games[bot]
        sides.append(
            pd.DataFrame(
                {
                    **({"opening": games["opening"]} if "opening" in games else {}),
                    "bot": games[bot],
                    "opponent": games[opponent],
                    "points": 0.5 + 0.5 * won - 0.5 * lost,
                    "forfeit": (games["fault"].astype(bool) & lost).astype(int),
                }
            )[~(games[bot].isin(yardsticks) & games["fault"].astype(bool) & won)]
        )
    return pd.concat(sides, ignore_index=True)


def standings(
    games: pd.DataFrame, bots: list[str], yardsticks: Collection[str] = ()
) -> pd.DataFrame:
    """Return the table, best first, indexed by bot.

    Columns: rank, points, games, wins, draws, losses, forfeits, `share` (points a game, by which
    bots are ranked) and the TIE_BREAKS, which rank those with the same share; then the rank is
    shared (1, 2, 2, 4). For `yardsticks` see `results`.
    """
    rows = results(games, yardsticks)
    table = pd.DataFrame(index=pd.Index(bots, name="bot"))
    by_bot = rows.groupby("bot")["points"]
    table["points"] = by_bot.sum().reindex(bots, fill_value=0.0)
    table["games"] = by_bot.size().reindex(bots, fill_value=0)
    for name, points in (("wins", 1.0), ("draws", 0.5), ("losses", 0.0)):
        count = rows[rows["points"] == points].groupby("bot").size()
        table[name] = count.reindex(bots, fill_value=0)
    table["forfeits"] = rows.groupby("bot")["forfeit"].sum().reindex(bots, fill_value=0)
    table["share"] = (table["points"] / table["games"].clip(lower=1)).round(DIGITS)
    for name, tie_break in TIE_BREAKS.items():
        values = tie_break.compute(rows, table)
        table[name] = values.reindex(bots, fill_value=tie_break.neutral).round(DIGITS)

    order = ["share", *TIE_BREAKS]
    ascending = [False, *(each.fewer_is_better for each in TIE_BREAKS.values())]
    table = table.sort_values(order, ascending=ascending, kind="stable")
    changes = (table[order] != table[order].shift()).any(axis=1)
    places = pd.Series(range(1, len(table) + 1), index=table.index)
    table.insert(0, "rank", places.where(changes).ffill().astype(int))
    return table


def contest_yardsticks(contest: Contest) -> list[str]:
    """Return the bots for which games that were won by the other's fault do not count.

    With forfeits apart that is everybody. In a gauntlet it is the house players: as they alone meet
    everybody, such wins would say much of the others and nothing of them.
    """
    bots = contest.playing
    if contest.ranking.forfeits is Forfeits.APART:
        return list(bots)
    is_gauntlet = contest.schedule.format is Format.GAUNTLET
    return [name for name, bot in bots.items() if bot.house and is_gauntlet]


def contest_results(games: pd.DataFrame, contest: Contest) -> pd.DataFrame:
    """Return the results that make the standings and the ratings of a contest, see `results`."""
    return results(games, contest_yardsticks(contest))


def contest_standings(games: pd.DataFrame, contest: Contest) -> pd.DataFrame:
    """Return the standings of the bots that take part in a contest."""
    return standings(games, list(contest.playing), contest_yardsticks(contest))


def crosstable(games: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """Return points of each bot (row) against each other (column); NaN where they did not meet."""
    rows = results(games)
    points = rows.pivot_table(index="bot", columns="opponent", values="points", aggfunc="sum")
    return points.reindex(index=order, columns=order)
