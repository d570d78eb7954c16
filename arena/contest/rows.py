"""The rows of a journal: a game or an analysis as columns of a table, with a checksum at the end.

Rows are added and never changed, so a row whose checksum is right is true wherever it is found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any
from zlib import crc32

from arena.contest.analysis import VERSION, GameAnalysis, MoveAnalysis
from arena.referee import GameRecord, Verdict

Row = tuple[Any, ...]

GAME = (
    "key",
    "verdict",
    "winner",
    "reason",
    "opening_plies",
    "columns",
    "charged_ns",
    "nodes",
    "output",
    "checksum",
)
"""Columns of the table `games`."""

ANALYSIS = ("key", "version", "nodes", "moves", "checksum")
"""Columns of the table `analyses`."""

KEY = re.compile(r"[0-9a-f]{32}")


def sealed(values: Sequence[Any]) -> Row:
    """The row with these values: they and their checksum."""
    return (*values, crc32("\x1f".join(map(str, values)).encode("utf-8", "surrogatepass")))


def is_whole(row: Row) -> bool:
    """Return whether a row is as it was written."""
    return sealed(row[:-1]) == row


def game_row(record: GameRecord) -> Row:
    """A game's row."""
    return sealed(
        (
            record.key,
            record.verdict.name,
            record.winner,
            record.reason,
            record.opening_plies,
            json.dumps(record.columns),
            json.dumps(record.charged_ns),
            json.dumps(record.nodes),
            record.output,
        )
    )


def game_of(row: Row) -> GameRecord:
    """The game of a row. Raises ValueError, KeyError or TypeError for what is none."""
    key, verdict, winner, reason, opening_plies, columns, charged_ns, nodes, output = row[:9]
    return GameRecord(
        key=key,
        verdict=Verdict[verdict],
        winner=winner,
        reason=reason,
        opening_plies=opening_plies,
        columns=tuple(json.loads(columns)),
        charged_ns=tuple(json.loads(charged_ns)),
        nodes=tuple(json.loads(nodes)),
        output=output,
    )


def analysis_row(analysis: GameAnalysis) -> Row:
    """An analysis's row."""
    moves = json.dumps([astuple(move) for move in analysis.moves])
    return sealed((analysis.key, VERSION, analysis.nodes, moves))


def analysis_of(row: Row) -> GameAnalysis:
    """The analysis of a row, if it is of this VERSION. Raises as `game_of` does."""
    key, _, nodes, moves = row[:4]
    return GameAnalysis(key=key, nodes=nodes, moves=tuple(map(_move, json.loads(moves))))


def _move(row: list[Any]) -> MoveAnalysis:
    ply, before, value, matters, best, held_by = row
    return MoveAnalysis(
        ply=ply,
        before=before,
        value=value,
        matters=matters,
        best=tuple(best),
        held_by=tuple(held_by),
    )


def is_plausible(values: Row) -> bool:
    """Return whether values without a checksum, as early journals have them, can be a row."""
    try:
        if not KEY.fullmatch(values[0]):
            return False
        if len(values) == len(ANALYSIS) - 1:
            analysis_of(values)
            return True
        game = game_of(values)
    except (ValueError, KeyError, TypeError):
        return False
    numbers = (game.opening_plies, *game.columns, *game.charged_ns, *game.nodes)
    answers = len(game.charged_ns)
    moves = len(game.columns) - game.opening_plies
    return (
        all(type(number) is int for number in numbers)
        and game.winner in (None, 0, 1)
        and len(game.nodes) == answers
        and 0 <= moves <= answers <= moves + 1
    )
