"""An index of games: what a run asks of each of a million, in forty bytes a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arena.contest.schedule import ScheduledGame

DIGEST_BYTES = 16

Places = NDArray[np.int32]
"""Places of games in their sequence, from 0."""


class GameIndex:
    """Games by key and by bot.

    Games have the same key if their bots are identical. Keys are numbered from 0 in the order of
    their digests, which is as good as random.
    """

    def __init__(
        self,
        games: Sequence[ScheduledGame],
        digests: bytes | bytearray,
        names: Sequence[str],
        sides: Places,
        pairings: Places,
    ) -> None:
        """Use `of`, or `ScheduledGames.indexed`.

        In the order of the `games`: the `digests` of their keys one after another, their `sides`
        in rows, as indices of the bots' `names`, and the numbers of their `pairings`.
        """
        self.games = games
        """The games."""
        self.names = names
        """The names of the bots, in the order in which they first play."""
        self.sides = sides
        """The bots of each game, first and second, as indices of `names`: an array of pairs."""
        self.pairings = pairings
        """The number of each game's pairing."""
        halves = np.frombuffer(digests, ">u8").reshape(-1, 2).astype(np.uint64)
        order = np.lexsort((halves[:, 1], halves[:, 0]))  # which is stable
        halves = halves[order]
        is_new = np.ones(len(order), np.bool_)
        is_new[1:] = (halves[1:] != halves[:-1]).any(axis=1)
        self.sample_order: Places = order.astype(np.int32)
        """The places of the games in the order of their digests, those of one key as they come."""
        self.keys: Places = np.empty(len(order), np.int32)
        """The number of each game's key."""
        self.keys[order] = np.cumsum(is_new) - 1
        self._starts: Places = np.flatnonzero(is_new).astype(np.int32)
        self.firsts: Places = self.sample_order[self._starts]
        """The place of the first game of each key."""
        self._high, self._low = halves[is_new].T.copy()
        self._number = {name: number for number, name in enumerate(names)}

    @classmethod
    def of(cls, games: Sequence[ScheduledGame]) -> GameIndex:
        """The index of any games."""
        names = list(dict.fromkeys(name for game in games for name in (game.first, game.second)))
        number = {name: index for index, name in enumerate(names)}
        sides = [(number[game.first], number[game.second]) for game in games]
        return cls(
            games,
            b"".join(bytes.fromhex(game.key.digest) for game in games),
            names,
            np.array(sides, np.int32).reshape(-1, 2),
            np.array([game.pairing for game in games], np.int32),
        )

    def key(self, digest: str) -> int | None:
        """Return the number of the key with this digest; None if no game has it."""
        try:
            wanted = int(digest, 16)
        except ValueError:
            return None
        high, low = wanted >> 64, wanted & 0xFFFF_FFFF_FFFF_FFFF
        if high >> 64:
            return None
        # the method takes half the time of np.searchsorted
        number = int(self._high.searchsorted(np.uint64(high)))
        while number < len(self._high) and self._high[number] == high:
            if self._low[number] == low:
                return number
            number += 1
        return None

    def digest(self, key: int) -> str:
        """Return the digest of the key with this number."""
        return f"{int(self._high[key]):016x}{int(self._low[key]):016x}"

    def first(self, key: int) -> ScheduledGame:
        """Return the first of the games with this key."""
        return self.games[int(self.firsts[key])]

    def places_of(self, key: int) -> list[int]:
        """Return the places of the games with this key, in their order."""
        start = int(self._starts[key])
        end = int(self._starts[key + 1]) if key + 1 < len(self._starts) else len(self.sample_order)
        places: list[int] = self.sample_order[start:end].tolist()
        return places

    def with_key(self, key: int) -> Iterator[ScheduledGame]:
        """Yield the games with this key, in their order."""
        return (self.games[place] for place in self.places_of(key))

    def are_with(self, bots: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each game whether one of these bots plays in it."""
        first, second = self._are_meant(bots)
        return first | second

    def are_among(self, bots: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each game whether both its bots are among these."""
        first, second = self._are_meant(bots)
        return first & second

    def _are_meant(self, bots: Iterable[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return for each game whether the first bot is one of these, and whether the second is."""
        is_one = np.zeros(len(self.names), np.bool_)
        is_one[[self._number[name] for name in bots if name in self._number]] = True
        return is_one[self.sides[:, 0]], is_one[self.sides[:, 1]]

    def sampled_with(self, bots: Iterable[str]) -> Places:
        """Return the places of these bots' games, in sample order."""
        return self.sample_order[self.are_with(bots)[self.sample_order]]
