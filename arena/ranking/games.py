"""A contest's games as a frame, and tallies of bots, faults and openings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.contest.retirement import SettledGame
from arena.game.verdict import Verdict
from arena.journal.rows import flat, unpacked
from arena.rules import format_moves

# for each verdict that is a fault, the column that counts games lost by it
FAULTS = {verdict.name: verdict.name.lower() for verdict in Verdict if verdict.is_fault}

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
    """Return a row for each bot, with the columns of tallies.csv.

    `games` is a `games_frame`. Also counts games that give a bot no points.
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
    """Return a row for each opening, with the columns of openings.csv.

    Games lost by a fault count only in `games` and `faults`, as they say nothing about an opening.
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

    Columns: those of games.csv; `loser` (a name or ""); `fault` (the loser broke a rule); `is_game`
    (False if neither bot could be loaded or both were retired); `is_forfeit`; `output` (of a bot at
    fault); those of SPENT.
    """
    settled = list(games)
    opening = cache(format_moves)
    batches = [
        _game_columns(settled[start : start + BATCH], opening)
        | _spent_columns(settled[start : start + BATCH])
        for start in range(0, max(len(settled), 1), BATCH)
    ]
    names = [*GAMES_CSV, *(name for name in batches[0] if name not in GAMES_CSV)]
    # `pop` frees each batch's part, so that a large contest is not in memory twice
    columns = {name: np.concatenate([batch.pop(name) for batch in batches]) for name in names}
    frame = pd.DataFrame(columns, copy=False)
    for side in ("first", "second"):
        nodes = frame[f"{side}_nodes"].astype("Int64")
        frame[f"{side}_nodes"] = nodes.where(frame[f"{side}_counted"] > 0)
    return frame


def spent_frame(games: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each bot that answered, indexed by bot.

    `games` is a `games_frame`. Columns: `mean_nodes` and `max_nodes` (missing if not counted),
    `mean_move_ms` and `max_move_ms`.
    """
    sides = []
    for side in ("first", "second"):
        columns = {f"{side}_{name}": name for name in SPENT}
        sides.append(games[[side, *columns]].rename(columns={side: "bot", **columns}))
    by_bot = pd.concat(sides).groupby("bot")
    total = by_bot[["answers", "ns", "counted", "nodes"]].sum()
    total, most = total[total["answers"] > 0], by_bot[["max_ns", "max_nodes"]].max()
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
    settled: Sequence[SettledGame], opening: Callable[[tuple[int, ...]], str]
) -> dict[str, GamesColumn]:
    places = [game for game, _, _ in settled]
    records = [record for _, record, _ in settled]
    verdicts = [record.verdict.name for record in records]
    columns = [*unpacked([record.columns for record in records])]
    first, second = _texts(game.first for game in places), _texts(game.second for game in places)
    # -1 if nobody won
    winners = [-1 if record.winner is None else record.winner for record in records]
    seat = np.array(winners, dtype=np.int64)
    fault = np.array([verdict in FAULTS for verdict in verdicts], dtype=np.bool_)
    return {
        "game": np.array([game.number for game in places], dtype=np.int64),
        "pairing": np.array([game.pairing for game in places], dtype=np.int64),
        "opening": _texts(
            opening(tuple(moves[: record.opening_plies]))
            for moves, record in zip(columns, records, strict=True)
        ),
        "first": first,
        "second": second,
        "moves": _texts(map(format_moves, columns)),
        "plies": np.array([len(moves) for moves in columns], dtype=np.int64),
        "winner": np.choose(seat + 1, ["", first, second]),
        "verdict": _texts(verdicts),
        "reason": _texts(record.reason for record in records),
        "key": _texts(record.key for record in records),
        "loser": np.choose(seat + 1, ["", second, first]),
        "fault": fault,
        "is_game": (seat >= 0) | ~fault,
        "is_forfeit": np.array([is_forfeit for _, _, is_forfeit in settled], dtype=np.bool_),
        "output": _texts(record.output for record in records),
    }


def _texts(values: Iterable[str]) -> GamesColumn:
    return np.array(list(values), dtype=object)


def _spent_columns(settled: Sequence[SettledGame]) -> dict[str, GamesColumn]:
    """Return the columns of SPENT, and `ms`, for each side."""
    records = [record for _, record, _ in settled]
    answers = np.array([len(record.nodes) for record in records], dtype=np.int64)
    charged = flat([record.charged_ns for record in records])
    nodes = flat([record.nodes for record in records])
    opening = np.array([record.opening_plies for record in records], dtype=np.int64)
    turn = np.arange(len(nodes)) + np.repeat(opening - answers.cumsum() + answers, answers)
    # one entry for each side of each game; float64 is exact for such sums
    sides = 2 * len(records)
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
        milliseconds = (spent["ns"][seat::2] / 1e6).tolist()
        columns[f"{side}_ms"] = np.array([round(each, 3) for each in milliseconds])
    return columns
