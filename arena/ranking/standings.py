"""Standings: points, tie-breaks and shared ranks."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

TIE_BREAKS = {"direct": False, "sonneborn_berger": False, "forfeits": True}
"""Columns by which those with the same share of points are ranked, in this order; whether less of
it is better."""

POINTS_DIGITS = 9
"""Decimals to which shares of points are compared: far finer than a half point of any contest."""


def results(games: pd.DataFrame, yardsticks: Collection[str] = ()) -> pd.DataFrame:
    """Two rows for each game that counts: `bot`, `opponent`, `points` (1, ½ or 0), `forfeit`.

    For `yardsticks` games that were won by the other's fault do not count: where they alone meet
    everybody, such wins would say much of the others and nothing of them.
    """
    games = games[games["is_game"].astype(bool)]
    sides = []
    for bot, opponent in (("first", "second"), ("second", "first")):
        won, lost = games["winner"] == games[bot], games["loser"] == games[bot]
        sides.append(
            pd.DataFrame(
                {
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
    """The table, best first, indexed by bot: rank, points, games, wins, draws, losses, forfeits.

    Order: points a game (points, where all played equally many), points against those level with
    it, Sonneborn-Berger, fewer forfeits; then the rank is shared (1, 2, 2, 4). Further columns:
    `share`, `direct` and `sonneborn_berger`, the tie-breaks themselves. For `yardsticks` see
    `results`.
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
    table["share"] = (table["points"] / table["games"].clip(lower=1)).round(POINTS_DIGITS)

    share = table["share"]
    level = rows["bot"].map(share) == rows["opponent"].map(share)
    direct = rows[level].groupby("bot")["points"].mean()
    table["direct"] = direct.reindex(bots, fill_value=0.5).round(POINTS_DIGITS)
    beaten = rows["points"] * rows["opponent"].map(table["points"])
    berger = beaten.groupby(rows["bot"]).sum() if len(rows) else pd.Series(dtype=float)
    table["sonneborn_berger"] = berger.reindex(bots, fill_value=0.0).round(POINTS_DIGITS)

    order = ["share", *TIE_BREAKS]
    table = table.sort_values(order, ascending=[False, *TIE_BREAKS.values()], kind="stable")
    changes = (table[order] != table[order].shift()).any(axis=1)
    places = pd.Series(range(1, len(table) + 1), index=table.index)
    table.insert(0, "rank", places.where(changes).ffill().astype(int))
    return table


def tie_breaks(table: pd.DataFrame, bot: str) -> list[tuple[str, str, bool]]:
    """What separates a bot from those with the same points a game, of a table of `standings`.

    (other, tie-break, whether the bot is ahead) of the nearest above and below that do not share
    its rank.
    """
    row = table.loc[bot]
    level = table[(table["share"] == row["share"]) & (table["rank"] != row["rank"])]
    above, below = level[level["rank"] < row["rank"]][-1:], level[level["rank"] > row["rank"]][:1]
    return [
        (str(other), next(name for name in TIE_BREAKS if table.at[other, name] != row[name]), ahead)
        for others, ahead in ((above, False), (below, True))
        for other in others.index
    ]


def crosstable(games: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """Points of each bot (row) against each other (column); NaN where they did not meet."""
    rows = results(games)
    points = rows.pivot_table(index="bot", columns="opponent", values="points", aggfunc="sum")
    return points.reindex(index=order, columns=order)
