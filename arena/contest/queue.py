"""The queue of a run: the games that wait, in batches made on demand.

All pairings play their first opening, both games in a batch, then their second. So a run that is
stopped has about as many games of each bot. Within an opening games are sorted into steps, each of
twice the length of the next, so that all lanes end together; within a step bots take turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import ceil, inf
from statistics import median
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from arena.contest.index import GameIndex, Places
from arena.game.record import GameKey
from arena.playing.batches import BATCH_SECONDS
from arena.playing.driver import Batch

TILE = 16  # Quick games are played in tiles: this number of bots against this number of others.
MAX_BATCH = 2 * TILE * TILE  # Games: a whole tile, with one opening.
TILE_SECONDS = 8.0  # Longest batch of quick games. Its games are stored and shown only at its end.

# Each lane's part of the remaining games is cut into at least this number of batches, so that all
# lanes end together. If times are known, batches become smaller towards the end.
SHARES = 8
TILE_SHARES = 2  # The same for quick games: a tile that is cut starts its bots again.
QUICK_GAME = 2.0  # Seconds. In shorter games the start of the bots (some 15 ms each) matters.
LEAST_BATCH = 2  # Games, if times are unknown.
# A tile of very quick games plays as many openings in a row as fill these seconds: its bots take
# longer to start than to play.
TURN_SECONDS = 30.0
# An opening that takes all lanes longer is played in blocks of the schedule, in which every bot
# plays, instead of the longest games first.
BLOCK_SECONDS = 1800.0


class Queue(Iterator[Batch[GameKey]]):
    """Yields batches: slow games of a pairing, or quick ones of a crosstable's tile."""

    def __init__(
        self,
        index: GameIndex,
        seconds: Mapping[str, float],
        until: float = inf,
        last: Iterable[str] = (),
    ) -> None:
        """Begin empty. `seconds` is each bot's part of a game, if known.

        Games that would probably end after `until` wait, except the second of a pair.
        Games of the bots `last`, which are not ready yet, come after all others.
        """
        self._index, self._until = index, until
        self._waits = np.zeros(len(index.games), np.bool_)
        self._seconds = of_bots(index.names, seconds)[index.sides].sum(axis=1)
        self._are_known = bool(seconds)
        self._groups = np.where(
            (self._seconds < QUICK_GAME) & self._are_known,
            -tiles(index.sides),
            index.pairings,
        ).astype(np.int32)
        self._are_last = index.are_with(set(last))
        self._groups[self._are_last] += np.sign(self._groups[self._are_last]) << 30
        self._left = self._least = 0.0
        self._lanes = 1
        self._suspects: set[str] = set()
        self._deciding: set[int] = set()
        self._batches = self._in_order()

    def __next__(self) -> Batch[GameKey]:
        return next(self._batches)

    def put(self, keys: Places, lanes: int) -> None:
        self._waits[self._index.firsts[keys]] = True
        self._left, self._lanes = float(self._seconds[self._waits].sum()), lanes
        # in small batches quick bots would spend most time on their start
        self._least = BATCH_SECONDS if self._are_known else max(LEAST_BATCH, self._share(SHARES))
        self._batches = self._in_order()

    def put_back(self, keys: Iterable[GameKey]) -> None:
        for key in keys:
            if (number := self._index.key(key.digest)) is not None:
                self._waits[self._index.firsts[number]] = True
        self._left = float(self._seconds[self._waits].sum())
        self._batches = self._in_order()

    def suspect(self, bots: Iterable[str], games: int) -> None:
        """Reorder these bots' games, so that a bot that hangs is retired soon.

        The first `games` of each, in sample order, come first and alone; its others come last.
        """
        for bot in set(bots) - self._suspects:
            places = self._index.sampled_with([bot])[:games]
            self._deciding.update(self._index.keys[places].tolist())
            self._suspects.add(bot)
        self._batches = self._in_order()

    def _in_order(self) -> Iterator[Batch[GameKey]]:
        among = self._index.are_among(self._suspects)  # slow games, the last to be played
        firsts = self._index.firsts[sorted(self._deciding)]
        deciding = firsts[~among[firsts]].tolist()
        alone = (self._batch([place]) for place in deciding if self._waits[place])
        with_one = self._index.are_with(self._suspects)
        groups = (~with_one, with_one & ~among, among)
        return chain(alone, *map(self._together, groups))

    def _together(self, are_chosen: NDArray[np.bool_]) -> Iterator[Batch[GameKey]]:
        places = self._sorted(np.flatnonzero(self._waits & are_chosen).astype(np.int32))
        ends = np.flatnonzero(np.diff(self._groups[places], append=0)) + 1
        start = 0
        for end in ends.tolist():
            while start < end:
                stop = min(start + self._size(places[start]), end)
                if stop < end and self._are_a_pair(places[stop - 1], places[stop]):
                    stop += 1
                # a batch of one game is the second of a pair: `stop` is never between two
                if stop - start == 1 or self._time_left() >= 2 * self._seconds[places[start]]:
                    yield self._batch(places[start:stop].tolist())
                start = stop

    def _sorted(self, places: Places) -> Places:
        seconds, sides = self._seconds[places], self._index.sides[places]
        is_quick = self._groups[places] < 0
        rows = sides // TILE
        # tiles in the order of a circle, in which every bot soon plays
        tile = np.where(is_quick, rows.sum(axis=1) % (len(self._index.names) // TILE + 1), 0)
        near = np.where(is_quick, interleaved(sides), 0)
        turns = self._turns(places, is_quick)
        return places[np.lexsort((near, tile, -steps(seconds), turns, self._are_last[places]))]

    def _turns(self, places: Places, is_quick: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return each game's turn: its opening's place in the pairing, or a part of it."""
        if not self._are_known or not len(places):
            return np.zeros(len(places), np.int64)  # small batches may cost too much
        seconds, bots = self._seconds[places], len(self._index.names)
        opening = self._index.opening_places[places].astype(np.int64)
        quick_game = float(seconds[is_quick].mean()) if is_quick.any() else QUICK_GAME
        of_tile = min(MAX_BATCH, bots * (bots - 1)) * quick_game
        span = max(1, int(TURN_SECONDS / max(of_tile, 1e-3)))
        of_opening = float(seconds[~is_quick].sum()) / int(1 + opening.max() - opening.min())
        blocks = max(1, ceil(of_opening / (BLOCK_SECONDS * self._lanes)))
        pairing = self._index.pairings[places].astype(np.int64) - 1
        block = pairing * blocks // int(self._index.pairings.max())
        quick, slow_ones = opening // span * span * blocks, opening * blocks + block
        turns: NDArray[np.int64] = np.where(is_quick, quick, slow_ones)
        return turns

    def _are_a_pair(self, one: np.int32, other: np.int32) -> bool:
        of_pair = (self._index.pairings, self._index.opening_places)
        return all(bool(each[one] == each[other]) for each in of_pair)

    def _share(self, shares: int) -> float:
        return min(self._left / (self._lanes * shares), max(0.0, self._time_left()))

    def _time_left(self) -> float:
        return self._until - monotonic()

    def _size(self, place: np.int32) -> int:
        is_quick = self._groups[place] < 0
        share = min(self._share(TILE_SHARES), TILE_SECONDS) if is_quick else self._share(SHARES)
        return int(max(1, min(MAX_BATCH, max(share, self._least) // self._seconds[place])))

    def _batch(self, places: Sequence[int]) -> Batch[GameKey]:
        self._waits[places] = False
        self._left -= float(self._seconds[places].sum())
        games = [self._index.games[place] for place in places]
        some = games[0]
        names = {
            bot.identity: name
            for game in games
            for bot, name in ((game.key.first, game.first), (game.key.second, game.second))
        }
        name = f"{some.first} – {some.second}{' and others' if len(names) > 2 else ''}"
        return Batch(name, tuple(game.key for game in games), names)


def tiles(sides: Places) -> NDArray[np.int64]:
    """Return a number above 0 for each pair of bots: TILE bots against TILE others."""
    return 1 + interleaved(sides // TILE)


def interleaved(sides: Places) -> NDArray[np.int64]:
    """Return each pair's Morton number (1966): pairs with near numbers share bots."""
    low, high = np.sort(sides, axis=1).T.astype(np.int64)
    found = np.zeros(len(sides), np.int64)
    for bit in range(int(high.max(initial=0)).bit_length()):
        found |= (low >> bit & 1) << 2 * bit + 1 | (high >> bit & 1) << 2 * bit
    return found


Seconds = NDArray[np.float32]


def of_bots(names: Sequence[str], seconds: Mapping[str, float]) -> Seconds:
    """Return each bot's seconds, the median for unknown ones; ½ if all are unknown."""
    usual = median(seconds.values()) if seconds else 0.5
    return np.array([seconds.get(name, usual) for name in names], np.float32)


def steps(seconds: Seconds) -> NDArray[np.int8]:
    shares = np.maximum(seconds / BATCH_SECONDS, 1.0)
    found: NDArray[np.int8] = np.ceil(np.log2(shares)).astype(np.int8)
    return found
