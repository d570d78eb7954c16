"""The queue of a run: the games that wait, in batches made on demand.

Long games come first, so that all lanes end together. Games are sorted into steps, each of twice
the length of the next; a batch has games of one step. Within a step slow games keep the order of
the schedule, so that every bot soon plays one. The order changes no result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import median

import numpy as np
from numpy.typing import NDArray

from arena.contest.index import GameIndex, Places
from arena.game.record import GameKey
from arena.playing.driver import Batch
from arena.playing.lanes import BATCH_SECONDS

TILE = 16  # Quick games are played in tiles: this number of bots against this number of others.
MAX_BATCH = 2 * TILE * TILE  # Games: a whole tile, with one opening.
TILE_SECONDS = 8.0  # Longest batch of quick games. Its games are stored and shown only at its end.

# Each lane's part of the remaining games is cut into at least this number of batches, so that all
# lanes end together. If times are known, batches become smaller towards the end.
SHARES = 8
TILE_SHARES = 2  # The same for quick games: a tile that is cut starts its bots again.
QUICK_GAME = 2.0  # Seconds. In shorter games the start of the bots (some 15 ms each) matters.
LEAST_BATCH = 2  # Games, if times are unknown.


class Queue(Iterator[Batch[GameKey]]):
    """Yields batches of games of similar length.

    A batch has slow games of one pairing, or quick games of one tile of the crosstable, whose bots
    start only once.
    """

    def __init__(self, index: GameIndex, seconds: Mapping[str, float]) -> None:
        """Begin empty. `seconds` is each bot's part of a game, if known."""
        self._index = index
        self._waits = np.zeros(len(index.games), np.bool_)
        self._seconds = of_bots(index.names, seconds)[index.sides].sum(axis=1)
        self._are_known = bool(seconds)
        self._groups = np.where(
            (self._seconds < QUICK_GAME) & self._are_known,
            -tiles(index.sides),
            index.pairings,
        )
        self._left = self._least = 0.0
        self._lanes = 1
        self._suspects: set[str] = set()
        self._deciding: set[int] = set()
        self._batches = self._in_order()

    def __next__(self) -> Batch[GameKey]:
        return next(self._batches)

    def put(self, keys: Places, lanes: int) -> None:
        """Add the games with these key numbers, for this number of lanes."""
        self._waits[self._index.firsts[keys]] = True
        self._left, self._lanes = float(self._seconds[self._waits].sum()), lanes
        # in small batches quick bots would spend most time on their start
        self._least = BATCH_SECONDS if self._are_known else max(LEAST_BATCH, self._share(SHARES))
        self._batches = self._in_order()

    def put_back(self, keys: Iterable[GameKey]) -> None:
        """Add games again that were handed out but not played."""
        for key in keys:
            if (number := self._index.key(key.digest)) is not None:
                self._waits[self._index.firsts[number]] = True
        self._left = float(self._seconds[self._waits].sum())
        self._batches = self._in_order()

    def suspect(self, bots: Iterable[str], games: int) -> None:
        """Reorder these bots' games, so that a bot that hangs is retired soon.

        The first `games` of each bot in sample order decide that: they come first, one per batch,
        and the bots' other games last.
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
        places = np.flatnonzero(self._waits & are_chosen).astype(np.int32)
        near = np.where(self._groups[places] < 0, interleaved(self._index.sides[places]), 0)
        places = places[longest_first(self._seconds[places], near)]
        ends = np.flatnonzero(np.diff(self._groups[places], append=0)) + 1
        start = 0
        for end in ends.tolist():
            while start < end:
                size = self._size(places[start])
                yield self._batch(places[start : min(start + size, end)].tolist())
                start = min(start + size, end)

    def _share(self, shares: int) -> float:
        return self._left / (self._lanes * shares)

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
    """Return a tile number above 0 for each game: TILE bots against TILE others.

    `sides` has a row of two bot indices per game.
    """
    return 1 + interleaved(sides // TILE)


def interleaved(sides: Places) -> NDArray[np.int64]:
    """Return a number for each game: its bots' indices with their bits interleaved.

    Games with neighbouring numbers have few different bots (G. M. Morton, 1966).
    """
    low, high = np.sort(sides, axis=1).T.astype(np.int64)
    found = np.zeros(len(sides), np.int64)
    for bit in range(int(high.max(initial=0)).bit_length()):
        found |= (low >> bit & 1) << 2 * bit + 1 | (high >> bit & 1) << 2 * bit
    return found


Seconds = NDArray[np.float32]


def of_bots(names: Sequence[str], seconds: Mapping[str, float]) -> Seconds:
    """Return each bot's part of a game in seconds; the median for unknown bots.

    Half a second if all are unknown.
    """
    usual = median(seconds.values()) if seconds else 0.5
    return np.array([seconds.get(name, usual) for name in names], np.float32)


def steps(seconds: Seconds) -> NDArray[np.int8]:
    """Return each game's step; higher steps are played first."""
    shares = np.maximum(seconds / BATCH_SECONDS, 1.0)
    found: NDArray[np.int8] = np.ceil(np.log2(shares)).astype(np.int8)
    return found


def longest_first(seconds: Seconds, then: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order of playing, as indices; `then` orders games of one step."""
    return np.lexsort((then, -steps(seconds)))
