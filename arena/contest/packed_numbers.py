"""Lists of whole numbers, written as JSON in a journal: read by the thousand, and kept small.

A contest of 300 bots has 20 million answers, and two numbers of each.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from struct import calcsize
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

Kind = Literal["b", "h", "i", "q"]

KINDS: tuple[Kind, ...] = ("b", "h", "i", "q")
"""C types of whole numbers: of 1, 2, 4 and 8 bytes."""

MOST = (2**7 - 1, 2**15 - 1, 2**31 - 1)
"""The greatest number of each of them but the last."""


class PackedNumbers(Sequence[int]):
    """Numbers of a game that was read: equal to the tuple of them, in a tenth of the memory."""

    __slots__ = ("kind", "packed")

    def __init__(self, numbers: Iterable[int]) -> None:
        """Raises TypeError or OverflowError for anything but whole numbers of 64 bits."""
        widest = array("q", numbers)
        most = max(map(abs, widest), default=0)
        self.kind: Kind = KINDS[bisect_left(MOST, most)]
        """The C type of the numbers, the narrowest that holds them all: one of KINDS."""
        self.packed = array(self.kind, widest).tobytes()
        """The numbers as the machine writes them."""

    @classmethod
    def of(cls, kind: Kind, packed: bytes) -> PackedNumbers:
        """The numbers that are packed so already."""
        numbers = cls.__new__(cls)
        numbers.kind, numbers.packed = kind, packed
        return numbers

    def __len__(self) -> int:
        return len(self.packed) // calcsize(self.kind)

    def __iter__(self) -> Iterator[int]:
        return iter(memoryview(self.packed).cast(self.kind))

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        numbers = memoryview(self.packed).cast(self.kind)
        return tuple(numbers[index]) if isinstance(index, slice) else numbers[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def flat(lists: Sequence[Sequence[int]]) -> Numbers:
    """Return the numbers of lists, those of one list after those of another."""
    packed = [each if isinstance(each, PackedNumbers) else PackedNumbers(each) for each in lists]
    kind, *others = {numbers.kind for numbers in packed} or {KINDS[-1]}
    if not others:
        return np.frombuffer(b"".join([n.packed for n in packed]), kind).astype(np.int64)
    return np.concatenate([np.frombuffer(n.packed, n.kind) for n in packed], dtype=np.int64)


def unpacked(lists: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield each of these lists as one that is quick to go through."""
    values = flat(lists).tolist()
    ends = accumulate(map(len, lists), initial=0)
    return (values[start:end] for start, end in pairwise(ends))


def packed_of(texts: Sequence[str]) -> Iterator[PackedNumbers]:
    """Yield the numbers of each of these lists in JSON, packed."""
    numbers, ends = _parsed(texts)
    packed = [(kind, calcsize(kind), numbers.astype(kind).tobytes()) for kind in KINDS]
    for start, end, most in zip([0, *ends[:-1]], ends, _most(numbers, ends), strict=True):
        kind, size, every = packed[bisect_left(MOST, most)]
        yield PackedNumbers.of(kind, every[start * size : end * size])


def _parsed(texts: Sequence[str]) -> tuple[Numbers, list[int]]:
    """Return the numbers of lists in JSON, one list after another, and where each list ends.

    The lists are as `json.dumps` writes them, and hold nothing but whole numbers of 64 bits.
    """
    ends = list(accumulate(text.count(",") + 1 if text != "[]" else 0 for text in texts))
    joined = ",".join([text[1:-1] for text in texts if text != "[]"])
    numbers = np.fromstring(joined, np.int64, sep=",") if joined else np.zeros(0, np.int64)
    return numbers, ends


def _most(numbers: Numbers, ends: Sequence[int]) -> list[int]:
    """Return the greatest absolute value in each of the lists that end there; 0 in an empty one."""
    last = np.array(ends)
    first = np.concatenate([[0], last[:-1]])
    most = np.zeros(len(last), np.int64)
    if len(numbers):
        most[last > first] = np.maximum.reduceat(np.abs(numbers), first[last > first])
    return most.tolist()
