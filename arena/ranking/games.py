"""A contest's games as a frame, and tallies of bots, faults and openings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.contest.settled import SettledGame, SettledGames
from arena.game.verdict import Verdict
from arena.journal.packed import VERDICTS, PackedGames, Vector
from arena.rules import format_moves

# for each verdict that is a fault, the column that counts games lost by it
FAULTS = {verdict.name: verdict.name.lower() for verdict in Verdict if verdict.is_fault}
ARE_FAULTS = np.array([verdict.is_fault for verdict in VERDICTS])
VERDICT_NAMES = np.array([verdict.name for verdict in VERDICTS], dtype=object)

TALLIES_CSV = [
    *("bot", "board_wins", "board_losses", "wins_by_fault", "losses_by_fault", "first_games"),
    *("first_points", "second_games", "second_points"),
    *FAULTS.values(),
]

OPENINGS_CSV = [
    *("opening", "games", "faults", "first_wins", "draws", "second_wins", "first_share"),
    *("pairs", "same_side"),
]

SHARE_DIGITS = 4


def bot_tallies(games: pd.DataFrame, bots: list[str]) -> pd.DataFrame:
    """Return each bot's row of tallies.csv; games without points count too."""
    columns = ["first", "second", "winner", "loser", "verdict", "fault"]
    games = games.loc[games["is_game"].astype(bool), columns]
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
    """Return each opening's row of openings.csv; faults say nothing about openings."""
    columns = ["pairing", "opening", "first", "second", "winner", "fault"]
    games = games.loc[games["is_game"].astype(bool), columns]
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
    sides = pd.DataFrame(won).groupby([board["pairing"], board["opening"]])
    pairs = sides.sum()[sides.size() == 2].reset_index()
    ahead = (pairs["first"] - pairs["second"]).groupby(pairs["opening"]).mean()
    table["first_share"] = (0.5 + ahead.reindex(openings) / 4).round(SHARE_DIGITS)
    table["pairs"] = counted(pairs["opening"])
    table["same_side"] = counted(pairs["opening"][(pairs[["first", "second"]] == 2).any(axis=1)])
    return table.reset_index()[OPENINGS_CSV]


GamesColumn = NDArray[Any]

# `opening` and `moves` are columns of the board, from 0; `moves` begins at the empty board.
# `first_ms` and `first_nodes` are the first bot's sums over the game; nodes that were not counted
# are empty.
GAMES_CSV = [
    *("game", "pairing", "opening", "first", "second", "moves", "plies", "winner", "verdict"),
    *("reason", "first_ms", "second_ms", "first_nodes", "second_nodes", "key"),
]

# What a bot spent in a game: number of answers, their time and the longest time (ns); number of
# answers with counted nodes, their nodes and the most nodes. With the prefix `first_` or `second_`
# these are columns of the games frame. games.csv has only `nodes`, empty if not counted.
SPENT = ("answers", "ns", "max_ns", "counted", "nodes", "max_nodes")
BATCH = 2_000  # games converted at a time, few enough for a processor's cache


def games_frame(games: Iterable[SettledGame]) -> pd.DataFrame:
    """Return a row for each game, in order.

    Columns: those of games.csv, but no keys and milliseconds; `loser` (a name or ""); `fault` (the
    loser broke a rule); `is_game` (False if neither bot could be loaded or both were retired);
    `is_forfeit`; `output` (of a bot at fault); those of SPENT.
    """
    settled, opening = SettledGames.of(games), cache(format_moves)
    starts = range(0, max(len(settled), 1), BATCH)
    columns: dict[str, GamesColumn] = {}
    for some in (slice(start, start + BATCH) for start in starts):
        part = _game_columns(settled, some, opening)
        part |= _spent_columns(settled.table, settled.rows[some])
        for name, values in part.items():
            if name not in columns:  # joining the parts of a large contest would need them twice
                columns[name] = np.empty(len(settled), values.dtype)
            columns[name][some] = values
    frame = pd.DataFrame(columns, copy=False)
    for side in ("first", "second"):
        nodes = frame[f"{side}_nodes"].astype("Int64")
        frame[f"{side}_nodes"] = nodes.where(frame[f"{side}_counted"] > 0)
    return frame


def games_table(games: Iterable[SettledGame], frame: pd.DataFrame) -> pd.DataFrame:
    """Return games.csv, from these games and their `games_frame`."""
    settled = SettledGames.of(games)
    digests = settled.table.digests[settled.rows].astype("U").astype(object)
    times = {
        f"{side}_ms": [round(each / 1e6, 3) for each in frame[f"{side}_ns"].tolist()]
        for side in ("first", "second")
    }
    return frame.assign(key=digests, **times)[GAMES_CSV]


def spent_frame(games: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each bot that answered, indexed by bot.

    Columns: `mean_nodes`, `max_nodes` (missing if not counted), `mean_move_ms`, `max_move_ms`.
    """
    sums, maxima = [], []
    for side in ("first", "second"):
        by_bot = games.groupby(side)
        columns = {f"{side}_{name}": name for name in SPENT}
        summed = [f"{side}_{name}" for name in ("answers", "ns", "counted", "nodes")]
        sums.append(by_bot[summed].sum().rename(columns=columns))
        highest = [f"{side}_{name}" for name in ("max_ns", "max_nodes")]
        maxima.append(by_bot[highest].max().rename(columns=columns))
    total = pd.concat(sums).rename_axis("bot").groupby("bot").sum()
    total = total[total["answers"] > 0]
    most = pd.concat(maxima).rename_axis("bot").groupby("bot").max()
    return pd.DataFrame(
        {
            "mean_nodes": total["nodes"].astype(float)
            / total["counted"].where(total["counted"] > 0),
            "max_nodes": most["max_nodes"].astype(float).where(total["counted"] > 0),
            "mean_move_ms": total["ns"] / total["answers"] / 1e6,
            "max_move_ms": most["max_ns"] / 1e6,
        },
        index=total.index,
    )


def _game_columns(
    settled: SettledGames, some: slice, opening: Callable[[tuple[int, ...]], str]
) -> dict[str, GamesColumn]:
    table, rows = settled.table, settled.rows[some]
    plies, opening_plies = table.columns.sizes(rows), table.opening_plies[rows].tolist()
    first, second = np.array(settled.names, dtype=object)[settled.sides[some].T]
    seat = table.winners[rows].astype(np.int64)
    fault = ARE_FAULTS[table.verdicts[rows]]
    columns = [*table.columns.lists(rows)]
    openings = (
        opening(tuple(moves[:count])) for moves, count in zip(columns, opening_plies, strict=True)
    )
    return {
        "game": settled.numbers[some].astype(np.int64),
        "pairing": settled.pairings[some].astype(np.int64),
        "opening": _texts(openings),
        "first": first,
        "second": second,
        "moves": _texts(map(format_moves, columns)),
        "plies": plies,
        "winner": np.choose(seat + 1, ["", first, second]),
        "verdict": VERDICT_NAMES[table.verdicts[rows]],
        "reason": table.reasons[rows],
        "loser": np.choose(seat + 1, ["", second, first]),
        "fault": fault,
        "is_game": (seat >= 0) | ~fault,
        "is_forfeit": settled.is_forfeit[some],
        "output": table.outputs[rows],
    }


def _texts(values: Iterable[str]) -> GamesColumn:
    return np.array(list(values), dtype=object)


def _spent_columns(table: PackedGames, rows: Vector) -> dict[str, GamesColumn]:
    answers = table.nodes.sizes(rows)
    charged, nodes = table.charged_ns.flat(rows), table.nodes.flat(rows)
    opening = table.opening_plies[rows].astype(np.int64)
    turn = np.arange(len(nodes)) + np.repeat(opening - answers.cumsum() + answers, answers)
    # one entry for each side of each game; float64 is exact for such sums
    sides = 2 * len(rows)
    side_of = np.repeat(np.arange(0, sides, 2), answers) + turn % 2
    is_counted = nodes >= 0
    longest = np.zeros(sides, dtype=np.int64)
    np.maximum.at(longest, side_of, charged)
    most = np.zeros(sides, dtype=np.int64)
    np.maximum.at(most, side_of, nodes)
    spent = {
        "answers": np.bincount(side_of, minlength=sides),
        "ns": np.bincount(side_of, charged, sides).astype(np.int64),
        "max_ns": longest,
        "counted": np.bincount(side_of[is_counted], minlength=sides),
        "nodes": np.bincount(side_of, nodes * is_counted, sides).astype(np.int64),
        "max_nodes": most,
    }
    columns: dict[str, GamesColumn] = {}
    for seat, side in enumerate(("first", "second")):
        columns |= {f"{side}_{name}": values[seat::2] for name, values in spent.items()}
    return columns
