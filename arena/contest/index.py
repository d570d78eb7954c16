"""The games of a contest: the schedule, and finding games by key or bot.

`ScheduledGames` makes each game on access. `GameIndex` finds games and `Ends` stores how they
ended, in some 50 bytes per game, so a run can search a million games.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.game.record import Bot, GameKey, GameRecord, digests
from arena.game.verdict import Verdict
from arena.journal.packed import DIGEST, VERDICTS, PackedGames, Vector
from arena.openings.pool import block_of, drawn
from arena.settings.contest import Contest, ScheduledGame, pairings

Places = NDArray[np.int32]  # Indices of games in their sequence, from 0.


class GameIndex:
    """Finds games by key, which identical bots share, and by bot.

    Keys are numbered from 0 by digest, as good as randomly; a place is an index of the schedule.
    """

    def __init__(
        self,
        games: Sequence[ScheduledGame],
        digests: bytes | bytearray,
        bots: Mapping[str, Bot],
        sides: Places,
        pairings: Places,
        openings: Places,
        opening_places: Places,
    ) -> None:
        """Use `of`, or `ScheduledGames.indexed`, instead.

        In the order of `games`: `digests` of their keys, concatenated; `sides`, two indices into
        `bots` a row; numbers of their `pairings`, and of their `openings` in the pool.
        """
        self.games = games
        self.bots = bots
        """The bots by name, in the order of their first game."""
        self.names = list(bots)
        self.sides = sides
        """The two bots of each game, first mover first, as indices of `names`."""
        self.pairings = pairings
        self.openings = openings
        self.opening_places = opening_places
        """Which of its pairing's openings each game is from, from 0."""
        halves = np.frombuffer(digests, ">u8").reshape(-1, 2).astype(np.uint64)
        order = np.lexsort((halves[:, 1], halves[:, 0]))  # a stable sort
        halves = halves[order]
        is_new = np.ones(len(order), np.bool_)
        is_new[1:] = (halves[1:] != halves[:-1]).any(axis=1)
        self.sample_order: Places = order.astype(np.int32)
        """Places of the games by digest; games of one key in schedule order."""
        self.keys: Places = np.empty(len(order), np.int32)
        self.keys[order] = np.cumsum(is_new) - 1
        self._starts: Places = np.flatnonzero(is_new).astype(np.int32)
        self.firsts: Places = self.sample_order[self._starts]
        self._high, self._low = halves[is_new].T.copy()
        self._number = {name: number for number, name in enumerate(bots)}

    @classmethod
    def of(cls, games: Sequence[ScheduledGame]) -> GameIndex:
        bots: dict[str, Bot] = {}
        for game in games:
            bots |= {game.first: game.key.first, game.second: game.key.second}
        number = {name: index for index, name in enumerate(bots)}
        sides = [(number[game.first], number[game.second]) for game in games]
        return cls(
            games,
            b"".join(bytes.fromhex(game.key.digest) for game in games),
            bots,
            np.array(sides, np.int32).reshape(-1, 2),
            np.array([game.pairing for game in games], np.int32),
            np.array([game.opening for game in games], np.int32),
            np.array(_opening_places(games), np.int32),
        )

    def key(self, digest: str) -> int | None:
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
        return f"{int(self._high[key]):016x}{int(self._low[key]):016x}"

    @property
    def digests(self) -> Vector:
        """The keys' digests in order, as NumPy's bytes."""
        halves = np.stack([self._high, self._low], axis=1).astype(">u8")
        return np.frombuffer(halves.tobytes().hex().encode(), DIGEST)

    @cached_property
    def numbers(self) -> Places:
        if isinstance(self.games, ScheduledGames):
            return np.arange(1, len(self.games) + 1, dtype=np.int32)
        return np.array([game.number for game in self.games], np.int32)

    def first(self, key: int) -> ScheduledGame:
        return self.games[int(self.firsts[key])]

    def places_of(self, key: int) -> list[int]:
        start = int(self._starts[key])
        end = int(self._starts[key + 1]) if key + 1 < len(self._starts) else len(self.sample_order)
        places: list[int] = self.sample_order[start:end].tolist()
        return places

    def with_key(self, key: int) -> Iterator[ScheduledGame]:
        return (self.games[place] for place in self.places_of(key))

    def are_with(self, bots: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each game whether one of these bots plays in it."""
        first, second = self._sides_among(bots)
        return first | second

    def are_among(self, bots: Iterable[str]) -> NDArray[np.bool_]:
        first, second = self._sides_among(bots)
        return first & second

    def _sides_among(self, bots: Iterable[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        is_one = np.zeros(len(self.names), np.bool_)
        is_one[[self._number[name] for name in bots if name in self._number]] = True
        return is_one[self.sides[:, 0]], is_one[self.sides[:, 1]]

    def sampled_with(self, bots: Iterable[str]) -> Places:
        return self.sample_order[self.are_with(bots)[self.sample_order]]


def _opening_places(games: Iterable[ScheduledGame]) -> list[int]:
    met: dict[int, dict[int, int]] = {}
    found = []
    for game in games:
        of_pairing = met.setdefault(game.pairing, {})
        found.append(of_pairing.setdefault(game.opening, len(of_pairing)))
    return found


# Most opening pairs from which rounds choose: each takes 150 bytes, and most are never played.
MOST_PAIRS = 2_000_000
AT_ONCE = 10_000  # Games whose indices are Python numbers at a time.

# A record for each way a game can end. `Ends` stores their numbers, from 1.
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

NUMBERS = {(record.verdict, record.winner): number for number, record in enumerate(STAND_INS, 1)}
NOBODY_WON = 2  # In place of a winner's seat.


class Outcomes(NamedTuple):
    """How games ended, by place. The values of a game without a result mean nothing."""

    winner: NDArray[np.int64]
    is_fault: NDArray[np.bool_]
    is_game: NDArray[np.bool_]


def outcomes(numbers: NDArray[np.uint8]) -> Outcomes:
    ends = [STAND_INS[0], *STAND_INS]  # end number 0: not ended yet
    winners = [NOBODY_WON if end.winner is None else end.winner for end in ends]
    return Outcomes(
        np.array(winners)[numbers],
        np.array([end.verdict.is_fault for end in ends])[numbers],
        np.array([end.is_game for end in ends])[numbers],
    )


class Ends(Mapping[str, GameRecord]):
    """Ends of finished games by key digest, as records with only winner and verdict."""

    def __init__(self, index: GameIndex) -> None:
        self._index = index
        self.numbers = np.zeros(len(index.firsts), np.uint8)
        """For each key, the end's number in NUMBERS; 0 if unknown."""

    @classmethod
    def from_records(cls, index: GameIndex, records: Mapping[str, GameRecord]) -> Ends:
        ends = cls(index)
        table = records if isinstance(records, PackedGames) else PackedGames.of(records.values())
        rows = table.find(index.digests)
        numbers = np.array([[NUMBERS[each, seat] for seat in (0, 1, None)] for each in VERDICTS])
        known = rows[rows >= 0]  # NOBODY is the last index
        ends.numbers[rows >= 0] = numbers[table.verdicts[known], table.winners[known]]
        return ends

    def add(self, key: int, verdict: Verdict, winner: int | None) -> None:
        self.numbers[key] = NUMBERS[verdict, winner]

    def of(self, key: int) -> GameRecord | None:
        number = self.numbers[key]
        return STAND_INS[number - 1] if number else None

    @property
    def are_known(self) -> NDArray[np.bool_]:
        return self.numbers.astype(np.bool_)

    @property
    def by_place(self) -> NDArray[np.uint8]:
        return self.numbers[self._index.keys]

    def __getitem__(self, digest: str) -> GameRecord:
        key = self._index.key(digest)
        if key is None or (record := self.of(key)) is None:
            raise KeyError(digest)
        return record

    def __iter__(self) -> Iterator[str]:
        return map(self._index.digest, np.flatnonzero(self.numbers).tolist())

    def __len__(self) -> int:
        return int(np.count_nonzero(self.numbers))


class GamesAt(Sequence[ScheduledGame]):
    def __init__(self, games: Sequence[ScheduledGame], places: Places) -> None:
        self._games, self._places = games, places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return GamesAt(self._games, self._places[index])
        return self._games[int(self._places[index])]

    def __iter__(self) -> Iterator[ScheduledGame]:
        games = self._games
        return games.at(self._places) if isinstance(games, ScheduledGames) else super().__iter__()


class ScheduledGames(Sequence[ScheduledGame]):
    """The games of a contest, ordered by pairing, place of the opening, and side."""

    def __init__(
        self,
        contest: Contest,
        bots: Mapping[str, Bot],
        openings: Sequence[tuple[int, ...]],
        block: int | None = None,
        *,
        drawn_as: Mapping[str, str] | None = None,
    ) -> None:
        """Draw each pairing's openings from a pool, see `arena.openings.pool`.

        `block` is None for a new pool; `drawn_as` has the bots' names in the draw, if they differ.
        """
        self._contest, self._bots, self._openings = contest, bots, openings
        self._pairings = pairings(contest)
        plan = contest.schedule
        wanted = plan.openings
        if plan.in_rounds:
            wanted = min(wanted, max(1, MOST_PAIRS // max(1, len(self._pairings))))
        block = block or block_of(contest.rules, plan.min_plies, plan.max_plies)
        of = drawn_as or {}
        pairs = [(of.get(one, one), of.get(other, other)) for one, other in self._pairings]
        self._drawn: Places = drawn(
            plan.seed, pairs, wanted, plan.shared_openings, block, len(openings)
        )
        self.openings: int = self._drawn.shape[1]

    def __len__(self) -> int:
        return len(self._pairings) * self.openings * 2

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        pairing, of_pairing = divmod(range(len(self))[index], self.openings * 2)
        return self._game(pairing, *divmod(of_pairing, 2))

    def __iter__(self) -> Iterator[ScheduledGame]:
        return self.at(np.arange(len(self), dtype=np.int32))

    def at(self, places: Places) -> Iterator[ScheduledGame]:
        """Return the games at these indices, in half the time that single accesses take."""
        for start in range(0, len(places), AT_ONCE):
            rows, sides = np.divmod(places[start : start + AT_ONCE], 2)
            pairings, of_pairing = np.divmod(rows, self.openings)
            yield from map(self._game, pairings.tolist(), of_pairing.tolist(), sides.tolist())

    def _game(self, pairing: int, place: int, side: int) -> ScheduledGame:
        """Return a game. Pairings and places count from 0; on side 1 the second bot begins."""
        pair, contest = self._pairings[pairing], self._contest
        opening = int(self._drawn[pairing, place])
        first, second = pair[side], pair[1 - side]
        return ScheduledGame(
            number=(pairing * self.openings + place) * 2 + side + 1,
            pairing=pairing + 1,
            opening=opening + 1,
            first=first,
            second=second,
            key=GameKey(
                rules=contest.rules,
                limits=contest.limits,
                opening=self._openings[opening],
                first=self._bots[first],
                second=self._bots[second],
                seed=contest.schedule.seed,
            ),
        )

    @cached_property
    def indexed(self) -> GameIndex:
        """The index of the games; makes none of them."""
        contest, bots = self._contest, self._bots
        found = bytearray()
        meetings = (
            (bots[one], bots[other], played.tolist())
            for (one, other), played in zip(self._pairings, self._drawn, strict=True)
        )
        for digest in digests(
            contest.rules, contest.limits, contest.schedule.seed, self._openings, meetings
        ):
            found += digest
        names = dict.fromkeys(chain.from_iterable(self._pairings))
        number = {name: index for index, name in enumerate(names)}
        pairs = np.array(
            [(number[one], number[other]) for one, other in self._pairings], np.int32
        ).reshape(-1, 2)
        both_sides = np.stack([pairs, pairs[:, ::-1]], axis=1)
        return GameIndex(
            self,
            found,
            {name: bots[name] for name in names},
            np.repeat(both_sides, self.openings, axis=0).reshape(-1, 2),
            np.repeat(np.arange(1, len(pairs) + 1, dtype=np.int32), 2 * self.openings),
            np.repeat(self._drawn.ravel() + np.int32(1), 2),
            np.tile(np.repeat(np.arange(self.openings, dtype=np.int32), 2), len(pairs)),
        )


def index_of(games: Sequence[ScheduledGame]) -> GameIndex:
    return games.indexed if isinstance(games, ScheduledGames) else GameIndex.of(games)
