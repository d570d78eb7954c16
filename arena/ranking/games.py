"""The games of a contest as a table, a row for each game that has a result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from arena.contest import SettledGame
from arena.rules import format_moves

GAMES_CSV = [
    "game",
    "pairing",
    "opening",
    "first",
    "second",
    "moves",
    "plies",
    "winner",
    "verdict",
    "reason",
    "first_ms",
    "second_ms",
    "first_nodes",
    "second_nodes",
    "key",
]
"""Columns of games.csv. `opening` and `moves` are columns from 0, `moves` from the empty board;
`first_ms` and `first_nodes` are that bot's sums over the game, nodes empty if not counted."""


def games_frame(games: Iterable[SettledGame]) -> pd.DataFrame:
    """Return a row for each game, in order.

    Columns: those of games.csv, then `loser` (a name or empty), `fault` (whether the loser broke
    a rule), `is_game` (False where neither bot could be loaded, or both were retired),
    `is_forfeit` (whether a bot was retired by then) and `output` (of a faulty bot).
    """
    columns = [*GAMES_CSV, "loser", "fault", "is_game", "is_forfeit", "output"]
    frame = pd.DataFrame(map(_row, games), columns=columns)
    return frame.astype({"first_nodes": "Int64", "second_nodes": "Int64"})


def moves_frame(games: Iterable[SettledGame]) -> pd.DataFrame:
    """Return a row for each answer of a bot: `bot`, `charged_ms`, `nodes` (NaN if not counted)."""
    bots: list[str] = []
    charged: list[float] = []
    nodes: list[float] = []
    for game, record, _ in games:
        names = (game.first, game.second)
        start = record.opening_plies
        bots.extend(names[(start + index) % 2] for index in range(len(record.nodes)))
        charged.extend(ns / 1e6 for ns in record.charged_ns)
        nodes.extend(float("nan") if count < 0 else count for count in record.nodes)
    return pd.DataFrame({"bot": bots, "charged_ms": charged, "nodes": nodes})


def _row(settled: SettledGame) -> dict[str, Any]:
    game, record, is_forfeit = settled
    names = (game.first, game.second)
    turns = [record.opening_plies % 2, 1 - record.opening_plies % 2]
    row: dict[str, Any] = {
        "game": game.number,
        "pairing": game.pairing,
        "opening": format_moves(record.columns[: record.opening_plies]),
        "first": game.first,
        "second": game.second,
        "moves": format_moves(record.columns),
        "plies": len(record.columns),
        "winner": "" if record.winner is None else names[record.winner],
        "verdict": record.verdict.name,
        "reason": record.reason,
        "key": record.key,
        "loser": "" if record.loser is None else names[record.loser],
        "fault": record.verdict.is_fault,
        "is_game": record.is_game,
        "is_forfeit": is_forfeit,
        "output": record.output,
    }
    for seat, side in enumerate(("first", "second")):
        answers = slice(turns.index(seat), None, 2)
        row[f"{side}_ms"] = round(sum(record.charged_ns[answers]) / 1e6, 3)
        counted = [count for count in record.nodes[answers] if count >= 0]
        row[f"{side}_nodes"] = sum(counted) if counted else None
    return row
