"""The rows of a journal: games, analyses and retries, with a checksum.

Rows never change, so a row with a right checksum is valid wherever it is found. Lists of numbers
are packed: a contest of 300 bots has 20 million answers, with two numbers each.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from struct import calcsize
from typing import Any, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from arena.analysis.analysis import VERSION, GameAnalysis, PositionAnalysis
from arena.analysis.worth import Worth, outcome
from arena.game.record import GameRecord, Retake
from arena.game.verdict import Proof

JournalRow = tuple[Any, ...]

SCHEMA = {
    "games": "key TEXT PRIMARY KEY, verdict TEXT NOT NULL, winner INTEGER, reason TEXT NOT NULL, "
    "opening_plies INTEGER NOT NULL, columns TEXT NOT NULL, charged_ns TEXT NOT NULL, "
    "nodes TEXT NOT NULL, output TEXT NOT NULL, checksum INTEGER, place TEXT",
    "analyses": "key TEXT NOT NULL, version INTEGER NOT NULL, nodes INTEGER NOT NULL, "
    "moves TEXT NOT NULL, checksum INTEGER, PRIMARY KEY (key, version, nodes)",
    "retakes": "key TEXT NOT NULL, at INTEGER NOT NULL, seat INTEGER NOT NULL, "
    "ply INTEGER NOT NULL, proof TEXT NOT NULL, reason TEXT NOT NULL, checksum INTEGER, "
    "PRIMARY KEY (key, at, seat)",
}
# The columns of each table. As their numbers differ, a row's length shows its table.
TABLES = {
    table: tuple(re.findall(r"(?:^|, )([a-z_]+) [A-Z]", columns))
    for table, columns in SCHEMA.items()
}
GAME, ANALYSIS = TABLES["games"], TABLES["analyses"]
GAME_BEFORE = GAME[:-1]  # Of formats 1 and 2.
GAME_AT_FIRST = GAME[:-2]  # Of journals without a format.
KEY = re.compile(r"[0-9a-f]{32}")

# Replaces a text's control characters. A row of the journal begins with one
# (`arena/journal/mending.py`), so without these characters no output can imitate a row.
CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if chr(code) not in "\t\n"}
BATCH = 2_000  # Rows read together; they stay in the processor's cache.


def sealed(values: Sequence[Any]) -> JournalRow:
    return (*values, crc32("\x1f".join(map(str, values)).encode("utf-8", "surrogatepass")))


def is_whole(row: JournalRow) -> bool:
    return (sealed_game(row[:-2], row[-1]) if len(row) == len(GAME) else sealed(row[:-1])) == row


def sealed_game(values: Sequence[Any], place: str | None = None) -> JournalRow:
    """Return a game as a row; without a place the checksum is as in early formats."""
    return (*values, sealed(values if place is None else (*values, place))[-1], place)


def game_row(record: GameRecord) -> JournalRow:
    """Return a game's row; control characters but tabs and newlines are replaced."""
    # a list of integers as Python text is JSON; str() is four times faster
    return sealed_game(
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
        ),
        record.place,
    )


def analysis_row(analysis: GameAnalysis) -> JournalRow:
    since = analysis.positions[0].ply if analysis.positions else 0
    columns = [each.numbers for each in analysis.positions]
    text = json.dumps([since, columns, [*_exact_moves(analysis)]], separators=(",", ":"))
    return sealed((analysis.key, VERSION, analysis.nodes, text))


def _exact_moves(analysis: GameAnalysis) -> Iterator[tuple[Any, ...]]:
    """Yield what a row has about each move of exact value, by ply."""
    for position in analysis.positions:
        if position.ply in analysis.values:
            value = analysis.values[position.ply]
            is_blunder = outcome(value) < outcome(position.value or 0)
            columns = (position.best, position.held_by) if is_blunder else ((), ())
            yield position.ply, position.value, value, position.matters, *columns


def analysis_of(row: JournalRow) -> GameAnalysis:
    """Return the analysis in a row; its version must be this VERSION.

    Raises ValueError, KeyError, TypeError or OverflowError.
    """
    key, _, nodes, text = row[:4]
    since, columns, moves = json.loads(text)
    positions = (
        PositionAnalysis(
            ply=since + index,
            columns=tuple(None if number is None else Worth.of(number) for number in each),
        )
        for index, each in enumerate(columns)
    )
    values = {move[0]: move[2] for move in moves}
    return GameAnalysis(key=key, nodes=nodes, positions=tuple(positions), values=values)


def retake_row(retake: Retake) -> JournalRow:
    reason = retake.reason.translate(CONTROLS)
    return sealed((retake.key, retake.at, retake.seat, retake.ply, retake.proof.name, reason))


def retake_of(row: JournalRow) -> Retake:
    key, at, seat, ply, proof, reason = row[:6]
    return Retake(key=key, at=at, seat=seat, ply=ply, proof=Proof[proof], reason=reason)


Numbers = NDArray[np.int64]
Kind = Literal["b", "h", "i", "q"]
KINDS: tuple[Kind, ...] = ("b", "h", "i", "q")  # C types of 1, 2, 4 and 8 bytes.
MOST = (2**7 - 1, 2**15 - 1, 2**31 - 1)  # Largest number of each type but the last.


class PackedNumbers(Sequence[int]):
    """Integers of a game: equal to a tuple of them, in a tenth of the memory."""

    __slots__ = ("kind", "packed")

    def __init__(self, numbers: Iterable[int]) -> None:
        """Pack integers. Raises TypeError or OverflowError if one does not fit 64 bits."""
        widest = array("q", numbers)
        most = max(map(abs, widest), default=0)
        self.kind: Kind = KINDS[bisect_left(MOST, most)]
        """Narrowest C type that holds all numbers, one of KINDS."""
        self.packed = array(self.kind, widest).tobytes()

    @classmethod
    def of(cls, kind: Kind, packed: bytes) -> PackedNumbers:
        numbers = cls.__new__(cls)
        numbers.kind, numbers.packed = kind, packed
        return numbers

    def __len__(self) -> int:
        return len(self.packed) // calcsize(self.kind)

    def __iter__(self) -> Iterator[int]:
        return iter(memoryview(self.packed).cast(self.kind))

    def __getitem__(self, index: int | slice) -> Any:
        numbers = memoryview(self.packed).cast(self.kind)
        return tuple(numbers[index]) if isinstance(index, slice) else numbers[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def flat(lists: Sequence[Sequence[int]]) -> Numbers:
    packed = [each if isinstance(each, PackedNumbers) else PackedNumbers(each) for each in lists]
    kind, *others = {numbers.kind for numbers in packed} or {KINDS[-1]}
    if not others:
        return np.frombuffer(b"".join([n.packed for n in packed]), kind).astype(np.int64)
    return np.concatenate([np.frombuffer(n.packed, n.kind) for n in packed], dtype=np.int64)


def parsed(texts: Sequence[str]) -> tuple[Numbers, list[int]]:
    """Return the numbers of lists of 64-bit integers (JSON), and each list's length."""
    sizes = [text.count(",") + 1 if text != "[]" else 0 for text in texts]
    joined = ",".join([text[1:-1] for text in texts if text != "[]"])
    numbers = np.fromstring(joined, np.int64, sep=",") if joined else np.zeros(0, np.int64)
    return numbers, sizes
