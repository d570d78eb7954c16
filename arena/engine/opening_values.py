"""Exact values of the common game's first plies, from a table shipped with Arena.

The table is a sorted array of every position, mirror images counted once, read from disk when
needed. `python -m arena_lab.opening_table` builds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arena.rules import Position, Rack, Ruleset

TABLE = Path(__file__).parent / "opening_values.npy"
RULES = Ruleset()
MOST_PLIES = 8  # Plies of the largest possible table.
VALUE_BITS = 8  # Lowest bits of an entry; the key is above them.
OFFSET = 64  # Added to values in entries, to make them positive.
LEAST = -OFFSET  # Less than any value.
Entries = npt.NDArray[np.uint64]


class OpeningValues:
    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def value(self, position: Position) -> int | None:
        """Return the exact value for the side to move; None if the table has none."""
        if position.ply > MOST_PLIES:
            return None
        return self._value(key_of(position.rack(), position.to_move))

    def least(self, position: Position) -> int:
        """Return a lower bound of the value for the side to move; `LEAST` if unknown.

        The last move left the opponent at most the value of the position before it.
        """
        if position.ply > MOST_PLIES + 1:
            return LEAST
        other, rack = 1 - position.to_move, position.rack()
        before = (self._value(key_of(each, other)) for each in _taken_back(rack, other))
        return max((-value for value in before if value is not None), default=LEAST)

    def _value(self, key: int) -> int | None:
        index = int(np.searchsorted(self._entries, np.uint64(key << VALUE_BITS)))
        if index == len(self._entries) or int(self._entries[index]) >> VALUE_BITS != key:
            return None
        return value_of(int(self._entries[index]))


@cache
def opening_values(rules: Ruleset) -> OpeningValues | None:
    return OpeningValues(np.load(TABLE, mmap_mode="r")) if rules == RULES else None


def value_of(entry: int) -> int:
    return (entry & (1 << VALUE_BITS) - 1) - OFFSET


def key_of(rack: Rack, to_move: int) -> int:
    """Return a key that only a position and its mirror image have.

    It is the sum of a bit for each disc, counted twice for discs of the side to move.
    """
    return min(_key(rack, to_move + 1), _key(rack[::-1], to_move + 1))


def _key(rack: Rack, own: int) -> int:
    key = 0
    for column in rack:
        key <<= len(column) + 1
        for row, disc in enumerate(column):
            key += (disc != 0) + (disc == own) << row
    return key


def _taken_back(rack: Rack, player: int) -> Iterator[Rack]:
    for number, column in enumerate(rack):
        discs = [disc for disc in column if disc]
        if discs and discs[-1] == player + 1:
            shorter = (*discs[:-1], *[0] * (len(column) - len(discs) + 1))
            yield (*rack[:number], shorter, *rack[number + 1 :])
