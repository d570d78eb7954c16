"""The rows of a journal: games, analyses and second tries as columns of a table, with a checksum.

Rows are added and never changed, so a row whose checksum is right is true wherever it is found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from itertools import islice
from sys import intern
from typing import Any
from zlib import crc32

from arena.contest.analysis import VERSION, GameAnalysis, MoveAnalysis, PositionAnalysis
from arena.contest.packed_numbers import PackedNumbers, packed_of
from arena.contest.worth import Worth
from arena.referee import GameRecord, Proof, Retake, Verdict

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

RETAKE = ("key", "at", "seat", "ply", "proof", "reason", "checksum")
"""Columns of the table `retakes`."""

TABLES = {"games": GAME, "analyses": ANALYSIS, "retakes": RETAKE}
"""Columns of each table. No two have as many, so a row shows which table it is of."""

KEY = re.compile(r"[0-9a-f]{32}")

CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if chr(code) not in "\t\n"}
"""Control characters of a bot's text. In a journal's bytes a row begins with one of them, see
`arena/contest/salvage.py`: without them no bot can print what would pass for a row."""

BATCH = 2_000
"""Rows that are read together: few enough to stay in a processor's cache meanwhile."""


def sealed(values: Sequence[Any]) -> Row:
    """The row with these values: they and their checksum."""
    return (*values, crc32("\x1f".join(map(str, values)).encode("utf-8", "surrogatepass")))


def is_whole(row: Row) -> bool:
    """Return whether a row is as it was written."""
    return sealed(row[:-1]) == row


def game_row(record: GameRecord) -> Row:
    """A game's row, its texts without control characters but for tabs and ends of lines."""
    # of whole numbers Python's own text is JSON, and made in a quarter of the time
    return sealed(
        (
            record.key,
            record.verdict.name,
            record.winner,
            record.reason.translate(CONTROLS),
            record.opening_plies,
            str([*record.columns]),
            str([*record.charged_ns]),
            str([*record.nodes]),
            record.output.translate(CONTROLS),
        )
    )


def game_of(row: Row) -> GameRecord:
    """The game of a row. Raises ValueError, KeyError, TypeError or OverflowError for none."""
    key, verdict, winner, reason, opening_plies, columns, charged_ns, nodes, output = row[:9]
    return GameRecord(
        key=key,
        verdict=Verdict[verdict],
        winner=winner,
        reason=intern(reason),
        opening_plies=opening_plies,
        columns=PackedNumbers(json.loads(columns)),
        charged_ns=PackedNumbers(json.loads(charged_ns)),
        nodes=PackedNumbers(json.loads(nodes)),
        output=output,
    )


def games_of(rows: Iterable[Row]) -> Iterator[GameRecord]:
    """The games of whole rows, in their order: like `game_of`, in a fifth of the time."""
    rows = iter(rows)
    verdicts = Verdict.__members__
    while batch := list(islice(rows, BATCH)):
        by_column = dict(zip(GAME, zip(*batch, strict=True), strict=True))
        numbers = zip(
            packed_of(by_column["columns"]),
            packed_of(by_column["charged_ns"]),
            packed_of(by_column["nodes"]),
            strict=True,
        )
        for row, (columns, charged_ns, nodes) in zip(batch, numbers, strict=True):
            key, verdict, winner, reason, opening_plies, _, _, _, output, _ = row
            yield GameRecord(
                key=key,
                verdict=verdicts[verdict],
                winner=winner,
                reason=intern(reason),
                opening_plies=opening_plies,
                columns=columns,
                charged_ns=charged_ns,
                nodes=nodes,
                output=output,
            )


def analysis_row(analysis: GameAnalysis) -> Row:
    """An analysis's row."""
    since = analysis.positions[0].ply if analysis.positions else 0
    columns = [each.numbers for each in analysis.positions]
    kept = [since, columns, [astuple(move) for move in analysis.moves]]
    text = json.dumps(kept, separators=(",", ":"))
    return sealed((analysis.key, VERSION, analysis.nodes, text))


def analysis_of(row: Row) -> GameAnalysis:
    """The analysis of a row, if it is of this VERSION. Raises as `game_of` does."""
    key, _, nodes, text = row[:4]
    since, columns, moves = json.loads(text)
    positions = (
        PositionAnalysis(
            ply=since + index,
            columns=tuple(None if number is None else Worth.of(number) for number in each),
        )
        for index, each in enumerate(columns)
    )
    return GameAnalysis(
        key=key, nodes=nodes, positions=tuple(positions), moves=tuple(map(_move, moves))
    )


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


def retake_row(retake: Retake) -> Row:
    """A second try's row."""
    reason = retake.reason.translate(CONTROLS)
    return sealed((retake.key, retake.at, retake.seat, retake.ply, retake.proof.name, reason))


def retake_of(row: Row) -> Retake:
    """The second try of a row. Raises KeyError for none."""
    key, at, seat, ply, proof, reason = row[:6]
    return Retake(key=key, at=at, seat=seat, ply=ply, proof=Proof[proof], reason=reason)


def is_plausible(values: Row) -> bool:
    """Return whether values without a checksum, as early journals have them, can be a row."""
    try:
        if not KEY.fullmatch(values[0]):
            return False
        if len(values) == len(ANALYSIS) - 1:
            # early journals have analyses of an early version, which nobody asks for any more
            return isinstance(json.loads(values[3]), list)
        game = game_of(values)
    except (ValueError, KeyError, TypeError, OverflowError):
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
