"""How games ended: a byte a game, where a contest of a million is not to be kept in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from arena.contest.game_index import GameIndex
from arena.referee import GameRecord, Verdict

STAND_INS = tuple(
    GameRecord(
        key="",
        columns=(),
        opening_plies=0,
        charged_ns=(),
        nodes=(),
        winner=winner,
        verdict=verdict,
        reason="",
    )
    for verdict in Verdict
    for winner in (0, 1, None)
)
"""A record for each way in which a game can end; the numbers from 1 stand for them."""

NUMBERS = {(record.verdict, record.winner): number for number, record in enumerate(STAND_INS, 1)}


class Ends(Mapping[str, GameRecord]):
    """The ends of games that are known, by the digests of their keys.

    They are given as records with winner and verdict alone.
    """

    def __init__(self, index: GameIndex) -> None:
        """Begin with no end, for the games of this index."""
        self._index = index
        self._numbers = np.zeros(len(index.firsts), np.uint8)

    def add(self, key: int, verdict: Verdict, winner: int | None) -> None:
        """Take note of the end of the games whose key has this number."""
        self._numbers[key] = NUMBERS[verdict, winner]

    def of(self, key: int) -> GameRecord | None:
        """Return the end of the games whose key has this number, if it is known."""
        number = self._numbers[key]
        return STAND_INS[number - 1] if number else None

    @property
    def numbers(self) -> NDArray[np.uint8]:
        """For each number of a key the number of its games' end, see NUMBERS; 0 if unknown."""
        return self._numbers

    @property
    def are_known(self) -> NDArray[np.bool_]:
        """For each number of a key, whether the end of its games is known."""
        return self._numbers.astype(np.bool_)

    def __getitem__(self, digest: str) -> GameRecord:
        key = self._index.key(digest)
        if key is None or (record := self.of(key)) is None:
            raise KeyError(digest)
        return record

    def __iter__(self) -> Iterator[str]:
        return map(self._index.digest, np.flatnonzero(self._numbers).tolist())

    def __len__(self) -> int:
        return int(np.count_nonzero(self._numbers))
