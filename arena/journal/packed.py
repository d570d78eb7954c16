"""Many games as arrays, from which records are made on access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from sys import intern
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from arena.game.record import GameRecord, Retake
from arena.game.verdict import Verdict
from arena.journal.rows import (
    BATCH,
    KINDS,
    MOST,
    JournalRow,
    Numbers,
    PackedNumbers,
    flat,
    parsed,
)

VERDICTS = tuple(Verdict)
NUMBER = {verdict.name: number for number, verdict in enumerate(VERDICTS)}
NOBODY = -1  # Instead of a winner's seat.
DIGEST = "S32"  # NumPy's type of a key's digest.
Vector = NDArray[Any]


class NumberLists(NamedTuple):
    """Lists of numbers, one behind the other."""

    numbers: Vector
    sizes: Vector

    @classmethod
    def of(cls, numbers: Numbers, sizes: Sequence[int]) -> Self:
        """Store these numbers in the narrowest type that holds them."""
        kind = KINDS[int(np.searchsorted(MOST, np.abs(numbers).max(initial=0)))]
        return cls(numbers.astype(kind), np.array(sizes, np.int32))


class _Lists:
    """Finds lists by row."""

    def __init__(self, lists: NumberLists) -> None:
        self._numbers, self._sizes = lists
        self._starts = np.cumsum(self._sizes, dtype=np.int64) - self._sizes
        self._kind = next(kind for kind in KINDS if self._numbers.dtype == np.dtype(kind))

    def at(self, row: int) -> PackedNumbers:
        own = self._numbers[self._starts[row] :][: self._sizes[row]]
        return PackedNumbers.of(self._kind, own.tobytes())

    def sizes(self, rows: Vector) -> Numbers:
        return self._sizes[rows].astype(np.int64)

    def flat(self, rows: Vector) -> Numbers:
        """Return the numbers of these lists, one behind the other."""
        sizes = self.sizes(rows)
        shifts = self._starts[rows] - np.cumsum(sizes) + sizes
        found = self._numbers[np.repeat(shifts, sizes) + np.arange(sizes.sum())]
        return found.astype(np.int64)  # type: ignore[no-any-return]

    def lists(self, rows: Vector, divisor: int = 1) -> Iterator[list[int]]:
        """Yield these lists, with all numbers divided and rounded down."""
        values, start = (self.flat(rows) // divisor).tolist(), 0
        for size in self.sizes(rows).tolist():
            yield values[start : start + size]
            start += size


class GameBatch(NamedTuple):
    """Games as arrays, with an entry for each game. Texts are objects."""

    digests: Vector
    verdicts: Vector
    """Indices of VERDICTS."""
    winners: Vector
    """Seats, or NOBODY."""
    reasons: Vector
    opening_plies: Vector
    columns: NumberLists
    charged_ns: NumberLists
    nodes: NumberLists
    outputs: Vector
    places: Vector

    @classmethod
    def of_rows(cls, rows: Sequence[JournalRow]) -> GameBatch:
        keys, verdicts, winners, reasons, plies, columns, charged_ns, nodes, outputs, _, places = (
            zip(*rows, strict=True)
        )
        return cls(
            np.array([key.encode("ascii", "replace") for key in keys], DIGEST),
            np.array([NUMBER[name] for name in verdicts], np.int8),
            np.array([NOBODY if winner is None else winner for winner in winners], np.int8),
            np.array([intern(reason) for reason in reasons], np.object_),
            np.array(plies, np.int32),
            NumberLists.of(*parsed(columns)),
            NumberLists.of(*parsed(charged_ns)),
            NumberLists.of(*parsed(nodes)),
            np.array(outputs, np.object_),
            np.array([place and intern(place) for place in places], np.object_),
        )

    @classmethod
    def of_records(cls, records: Sequence[GameRecord]) -> GameBatch:
        def numbers(name: str) -> NumberLists:
            lists = [getattr(each, name) for each in records]
            return NumberLists.of(flat(lists), [*map(len, lists)])

        return cls(
            np.array([each.key.encode("ascii", "replace") for each in records], DIGEST),
            np.array([NUMBER[each.verdict.name] for each in records], np.int8),
            np.array([NOBODY if r.winner is None else r.winner for r in records], np.int8),
            np.array([each.reason for each in records], np.object_),
            np.array([each.opening_plies for each in records], np.int32),
            numbers("columns"),
            numbers("charged_ns"),
            numbers("nodes"),
            np.array([each.output for each in records], np.object_),
            np.array([each.place for each in records], np.object_),
        )

    @classmethod
    def joined(cls, parts: Sequence[GameBatch]) -> GameBatch:
        return cls(*(_joined(column) for column in zip(*parts, strict=True)))


def _joined(column: Sequence[Any]) -> Any:
    if isinstance(column[0], NumberLists):
        return NumberLists(*(np.concatenate(part) for part in zip(*column, strict=True)))
    return np.concatenate(column)


class PackedGames(Mapping[str, GameRecord]):
    """Games by key digest. A game's *row* is its index in all arrays."""

    def __init__(
        self, batches: Iterable[GameBatch], retakes: Mapping[str, tuple[Retake, ...]]
    ) -> None:
        """Use `of_rows` or `of` instead."""
        self._whole = whole = GameBatch.joined([GameBatch.of_records(()), *batches])
        self.digests, self.verdicts, self.winners = whole.digests, whole.verdicts, whole.winners
        self.reasons, self.outputs, self.places = whole.reasons, whole.outputs, whole.places
        self.opening_plies = whole.opening_plies
        self.columns, self.charged_ns, self.nodes = map(
            _Lists, (whole.columns, whole.charged_ns, whole.nodes)
        )
        self._order = np.argsort(self.digests, kind="stable")
        rows = self.find(np.array([key.encode() for key in retakes], DIGEST)).tolist()
        self.retakes = dict(zip(rows, retakes.values(), strict=True))
        """Retries by row."""

    @classmethod
    def of_rows(
        cls, rows: Iterable[JournalRow], retakes: Mapping[str, tuple[Retake, ...]]
    ) -> PackedGames:
        """Return the games in these rows of a journal."""
        rows = iter(rows)
        return cls(map(GameBatch.of_rows, iter(lambda: [*islice(rows, BATCH)], [])), retakes)

    @classmethod
    def of(cls, records: Iterable[GameRecord]) -> PackedGames:
        each = iter(records)
        retakes: dict[str, tuple[Retake, ...]] = {}

        def batch() -> list[GameRecord]:
            found = [*islice(each, BATCH)]
            retakes.update((record.key, record.retakes) for record in found if record.retakes)
            return found

        return cls(map(GameBatch.of_records, iter(batch, [])), retakes)

    def followed_by(self, records: Sequence[GameRecord]) -> PackedGames:
        """Return a table with further rows, which may have the same digests."""
        if not records:
            return self
        longer = PackedGames([self._whole, GameBatch.of_records(records)], {})
        longer.retakes = self.retakes
        return longer

    def find(self, digests: Vector) -> Vector:
        """Return the row of each of these digests; -1 if there is no such game."""
        if not len(self):
            return np.full(len(digests), -1)
        place = np.searchsorted(self.digests, digests, sorter=self._order).clip(max=len(self) - 1)
        rows = self._order[place]
        return np.where(self.digests[rows] == digests, rows, -1)

    def at(self, row: int) -> GameRecord:
        winner = int(self.winners[row])
        return GameRecord(
            key=self.digests[row].decode(),
            columns=self.columns.at(row),
            opening_plies=int(self.opening_plies[row]),
            charged_ns=self.charged_ns.at(row),
            nodes=self.nodes.at(row),
            winner=None if winner == NOBODY else winner,
            verdict=VERDICTS[self.verdicts[row]],
            reason=self.reasons[row],
            output=self.outputs[row],
            retakes=self.retakes.get(row, ()),
            place=self.places[row],
        )

    def __getitem__(self, digest: str) -> GameRecord:
        row = int(self.find(np.array([digest.encode("ascii", "replace")]))[0])
        if row < 0:
            raise KeyError(digest)
        return self.at(row)

    def __iter__(self) -> Iterator[str]:
        return iter(self.digests.astype("U32").tolist())

    def __len__(self) -> int:
        return len(self.digests)


def games_of(rows: Iterable[JournalRow]) -> Iterator[GameRecord]:
    """Yield the games in these rows, without retries."""
    rows = iter(rows)
    while batch := [*islice(rows, BATCH)]:
        table = PackedGames.of_rows(batch, {})
        yield from map(table.at, range(len(table)))
