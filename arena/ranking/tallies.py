"""Tallies: how each bot won and lost, on which side, by which faults; and how openings went."""

from __future__ import annotations

import pandas as pd

from arena.referee import Verdict

FAULTS = {verdict.name: verdict.name.lower() for verdict in Verdict if verdict.is_fault}
"""Columns that count games lost by a fault, by the names of the verdicts."""

TALLIES_CSV = [
    *("bot", "board_wins", "board_losses", "wins_by_fault", "losses_by_fault", "first_games"),
    *("first_points", "second_games", "second_points"),
    *FAULTS.values(),
]
"""Columns of tallies.csv."""

OPENINGS_CSV = [
    *("opening", "games", "faults", "first_wins", "draws", "second_wins", "first_share"),
    *("pairs", "same_side"),
]
"""Columns of openings.csv."""

SHARE_DIGITS = 4
"""Decimals of shares."""


def bot_tallies(games: pd.DataFrame, bots: list[str]) -> pd.DataFrame:
    """Return a row for each bot, in this order, with the columns of tallies.csv.

    `games` are as from `games_frame`. Every game is counted that was one, also where it does not
    count for a bot's points.
    """
    games = games[games["is_game"].astype(bool)]
    by_fault = games["fault"].astype(bool)
    table = pd.DataFrame(index=pd.Index(bots, name="bot"))

    def counted(names: pd.Series) -> pd.Series:
        return names.value_counts().reindex(bots, fill_value=0)

    for how, some in (("board", games[~by_fault]), ("fault", games[by_fault])):
        for result, column in (("wins", "winner"), ("losses", "loser")):
            name = f"board_{result}" if how == "board" else f"{result}_by_fault"
            table[name] = counted(some[column])
    drawn = games["winner"] == ""
    for side in ("first", "second"):
        won = games["winner"] == games[side]
        table[f"{side}_games"] = counted(games[side])
        table[f"{side}_points"] = counted(games[side][won]) + counted(games[side][drawn]) / 2
    for verdict, name in FAULTS.items():
        table[name] = counted(games["loser"][by_fault & (games["verdict"] == verdict)])
    return table.reset_index()[TALLIES_CSV]


def opening_tallies(games: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each opening, in the order of the games, with the columns of openings.csv.

    Games lost by a fault say nothing of an opening: they are counted in `faults` alone.
    """
    games = games[games["is_game"].astype(bool)]
    openings = list(games["opening"].unique())
    by_fault = games["fault"].astype(bool)
    board = games[~by_fault]
    won = {side: board["winner"] == board[side] for side in ("first", "second")}
    table = pd.DataFrame(index=pd.Index(openings, name="opening"))

    def counted(openings_of: pd.Series) -> pd.Series:
        return openings_of.value_counts().reindex(openings, fill_value=0)

    table["games"] = counted(games["opening"])
    table["faults"] = counted(games["opening"][by_fault])
    table["first_wins"] = counted(board["opening"][won["first"]])
    table["draws"] = counted(board["opening"][board["winner"] == ""])
    table["second_wins"] = counted(board["opening"][won["second"]])
    points, total = table["first_wins"] + table["draws"] / 2, table["games"] - table["faults"]
    table["first_share"] = (points / total.where(total > 0)).round(SHARE_DIGITS)
    sides = pd.DataFrame(won).groupby([board["pairing"], board["opening"]])
    pairs = sides.sum()[sides.size() == 2].reset_index()
    table["pairs"] = counted(pairs["opening"])
    table["same_side"] = counted(pairs["opening"][(pairs[["first", "second"]] == 2).any(axis=1)])
    return table.reset_index()[OPENINGS_CSV]
