"""The queue of a run: the games that are still to be handed out, in batches made one by one.

Long games come first, so that all lanes end together. A lane that begins a long game last keeps the
others waiting for it. Twice as long is a step earlier, and all that a lane plays several of in one
go are of one step. Within a step slow games stay in the order of the schedule, so that everybody
has played a game of a slow bot soon, and is in the standings. The order changes no game.
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

TILE = 16
"""The games between so many bots and so many others are played together, if they are quick."""

MAX_BATCH = 2 * TILE * TILE
"""Games in the longest batch: all of a tile, with one opening."""

TILE_SECONDS = 8.0
"""The longest batch of quick games: only at its end they are kept, and seen."""

SHARES = 8
"""Into how many batches a lane's part of what is left is cut at least, so that all end together.
Where it is known how long games take, batches get smaller towards the end."""

TILE_SHARES = 2
"""The same for quick games: a tile that is cut starts its bots again."""

QUICK_GAME = 2.0
"""Seconds of a game of which the start of its bots, some 15 ms each, is more than a trifle."""

LEAST_BATCH = 2
"""Games in the shortest batch, if it is not known how long they take."""


class Queue(Iterator[Batch[GameKey]]):
    """Batches of games that take about as long, the next one first.

    A batch has games of one pairing; or of a tile of the crosstable, if they are quick, as its
    bots stay seated and each of them starts but once. It is made when it is taken, so of a million
    games in the queue none takes memory.
    """

    def __init__(self, index: GameIndex, seconds: Mapping[str, float]) -> None:
        """Begin with none of these games; `seconds` is each bot's part of one, as far as known."""
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
        self._telling: set[int] = set()
        self._batches = self._in_order()

    def __next__(self) -> Batch[GameKey]:
        return next(self._batches)

    def put(self, keys: Places, lanes: int) -> None:
        """Have the games with keys of these numbers wait, to be played on so many lanes."""
        self._waits[self._index.firsts[keys]] = True
        self._left, self._lanes = float(self._seconds[self._waits].sum()), lanes
        # small batches of quick bots would mostly start them
        self._least = BATCH_SECONDS if self._are_known else max(LEAST_BATCH, self._share(SHARES))
        self._batches = self._in_order()

    def put_back(self, keys: Iterable[GameKey]) -> None:
        """Have games wait again that were handed out and not played."""
        for key in keys:
            if (number := self._index.key(key.digest)) is not None:
                self._waits[self._index.firsts[number]] = True
        self._left = float(self._seconds[self._waits].sum())
        self._batches = self._in_order()

    def suspect(self, bots: Iterable[str], games: int) -> None:
        """Play these bots' games in another order, so that one that hangs soon plays no more.

        The first `games` of each in sample order tell whether it is to be retired. They come
        first, one by one in that order, and the others last.
        """
        for bot in set(bots) - self._suspects:
            places = self._index.sampled_with([bot])[:games]
            self._telling.update(self._index.keys[places].tolist())
            self._suspects.add(bot)
        self._batches = self._in_order()

    def _in_order(self) -> Iterator[Batch[GameKey]]:
        among = self._index.are_among(self._suspects)  # of which most tell nothing, and take long
        firsts = self._index.firsts[sorted(self._telling)]
        telling = firsts[~among[firsts]].tolist()
        alone = (self._batch([place]) for place in telling if self._waits[place])
        with_one = self._index.are_with(self._suspects)
        groups = (~with_one, with_one & ~among, among)
        return chain(alone, *map(self._together, groups))

    def _together(self, are_meant: NDArray[np.bool_]) -> Iterator[Batch[GameKey]]:
        """Yield the waiting games among those that are meant, in batches that share out well."""
        places = np.flatnonzero(self._waits & are_meant).astype(np.int32)
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
        """Return the number of games in the next batch, which begins with the one at this place."""
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
    """Return a number above 0 for each game's tile: the games of TILE bots against TILE others.

    `sides` are the bots of the games in rows, as numbers.
    """
    return 1 + interleaved(sides // TILE)


def interleaved(sides: Places) -> NDArray[np.int64]:
    """Return a number for each game, with the bits of its two bots' numbers in turns.

    In its order, G. M. Morton's (1966), games that come one after the other are between few bots,
    wherever they are cut into batches.
    """
    low, high = np.sort(sides, axis=1).T.astype(np.int64)
    found = np.zeros(len(sides), np.int64)
    for bit in range(int(high.max(initial=0)).bit_length()):
        found |= (low >> bit & 1) << 2 * bit + 1 | (high >> bit & 1) << 2 * bit
    return found


Seconds = NDArray[np.float32]


def of_bots(names: Sequence[str], seconds: Mapping[str, float]) -> Seconds:
    """Return each bot's part of a game, in seconds; the median for one that is not known.

    It is half a second for all if none is known, so that a game counts for one.
    """
    usual = median(seconds.values()) if seconds else 0.5
    return np.array([seconds.get(name, usual) for name in names], np.float32)


def steps(seconds: Seconds) -> NDArray[np.int8]:
    """Return the step of each game that takes so long: those of a greater one are played first."""
    shares = np.maximum(seconds / BATCH_SECONDS, 1.0)
    found: NDArray[np.int8] = np.ceil(np.log2(shares)).astype(np.int8)
    return found


def longest_first(seconds: Seconds, then: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of games that take so long, in the order in which they are played.

    Those of a step are in the order of the numbers `then`.
    """
    return np.lexsort((then, -steps(seconds)))
