"""The leaderboard: standings, grades and what each bot spent."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from arena.contest import BotEntry, Contest, Format, Settled
from arena.intake import HOUSE
from arena.ranking.games import games_frame, moves_frame
from arena.ranking.grades import grades
from arena.ranking.standings import standings

LEADERBOARD_CSV = [
    "rank",
    "rank_low",
    "rank_high",
    "bot",
    "points",
    "games",
    "wins",
    "draws",
    "losses",
    "forfeits",
    "rating",
    "rating_low",
    "rating_high",
    "grade",
    "mean_nodes",
    "mean_move_ms",
    "max_move_ms",
    "interface",
    "content_hash",
]
"""Columns of leaderboard.csv. Ratings and the ranges of ranks are not computed yet: empty."""


def contest_standings(games: pd.DataFrame, contest: Contest) -> pd.DataFrame:
    """The standings of the bots of a contest, with their tie-breaks."""
    bots = contest.playing
    gauntlet = contest.schedule.format is Format.GAUNTLET
    yardsticks = [name for name, bot in bots.items() if bot.house and gauntlet]
    return standings(games, list(bots), yardsticks)


def leaderboard(settled: Settled, contest: Contest) -> pd.DataFrame:
    """The table, best first, as in leaderboard.csv; no grades while a game is open."""
    bots = contest.playing
    table = contest_standings(games_frame(settled.games), contest)
    moves = moves_frame(settled.games).groupby("bot")
    table["mean_nodes"] = moves["nodes"].mean().round(1).reindex(table.index)
    table["mean_move_ms"] = moves["charged_ms"].mean().round(3).reindex(table.index)
    table["max_move_ms"] = moves["charged_ms"].max().round(3).reindex(table.index)
    ranks = dict(zip(table.index, table["rank"], strict=True))
    marks = {} if settled.open else _grades(ranks, bots)
    table["grade"] = pd.Series(marks, dtype="Int64").reindex(table.index)
    table["interface"] = [bots[bot].interface or "" for bot in table.index]
    table["content_hash"] = [bots[bot].content_hash or "" for bot in table.index]
    return table.reset_index().reindex(columns=LEADERBOARD_CSV)


def _grades(ranks: Mapping[str, int], bots: Mapping[str, BotEntry]) -> dict[str, int]:
    """Grades, where both house players played; none otherwise, nor for others of the house."""
    floor, yardstick = HOUSE
    if not all(bots.get(name, BotEntry()).house for name in HOUSE):
        return {}
    graded = {name: rank for name, rank in ranks.items() if name in HOUSE or not bots[name].house}
    return grades(graded, floor, yardstick)
