"""The rows of a journal: a game or an analysis as columns of a table, with a checksum at the end.

Rows are added and never changed, so a row whose checksum is right is true wherever it is found.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from sys import intern
from typing import Any, overload
from zlib import crc32

from arena.contest.analysis import VERSION, GameAnalysis, MoveAnalysis, PositionAnalysis
from arena.contest.worth import Worth
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


class PackedNumbers(Sequence[int]):
    """Numbers of a game that was read: equal to the tuple of them, in a quarter of the memory.

    A contest of 300 bots has 14 million answers, and two numbers of each.
    """

    __slots__ = ("packed",)

    def __init__(self, numbers: Iterable[int]) -> None:
        """Raises TypeError or OverflowError for anything but whole numbers of 64 bits."""
        self.packed = array("q", numbers).tobytes()
        """The numbers as the machine writes them, 8 bytes each."""

    def __len__(self) -> int:
        return len(self.packed) // 8

    def __iter__(self) -> Iterator[int]:
        return iter(memoryview(self.packed).cast("q"))

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        numbers = memoryview(self.packed).cast("q")
        return tuple(numbers[index]) if isinstance(index, slice) else numbers[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


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
            json.dumps(tuple(record.charged_ns)),
            json.dumps(tuple(record.nodes)),
            record.output,
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
        columns=tuple(json.loads(columns)),
        charged_ns=PackedNumbers(json.loads(charged_ns)),
        nodes=PackedNumbers(json.loads(nodes)),
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
