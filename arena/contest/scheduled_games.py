"""The schedule: every game that a contest consists of, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import overload

import numpy as np

from arena.contest.config import Contest
from arena.contest.game_index import GameIndex
from arena.contest.schedule import ScheduledGame, pairings
from arena.referee import Bot, GameKey
from arena.referee.record import digests


class ScheduledGames(Sequence[ScheduledGame]):
    """The games of a contest: pairing by pairing, each opening with both sides."""

    def __init__(
        self, contest: Contest, bots: Mapping[str, Bot], openings: Sequence[tuple[int, ...]]
    ) -> None:
        self._contest, self._bots, self._openings = contest, bots, openings
        self._pairings = pairings(contest)

    def __len__(self) -> int:
        return len(self._pairings) * len(self._openings) * 2

    @overload
    def __getitem__(self, index: int) -> ScheduledGame: ...
    @overload
    def __getitem__(self, index: slice) -> list[ScheduledGame]: ...
    def __getitem__(self, index: int | slice) -> ScheduledGame | list[ScheduledGame]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        pairing, of_pairing = divmod(range(len(self))[index], len(self._openings) * 2)
        return self._game(pairing, *divmod(of_pairing, 2))

    def __iter__(self) -> Iterator[ScheduledGame]:
        for pairing in range(len(self._pairings)):
            for opening in range(len(self._openings)):
                yield self._game(pairing, opening, 0)
                yield self._game(pairing, opening, 1)

    def _game(self, pairing: int, opening: int, side: int) -> ScheduledGame:
        """Return a game. Pairing and opening count from 0; on side 1 the second bot begins."""
        pair, contest = self._pairings[pairing], self._contest
        first, second = pair[side], pair[1 - side]
        return ScheduledGame(
            number=(pairing * len(self._openings) + opening) * 2 + side + 1,
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
        """The games by key and by bot; none of them is made for it."""
        contest, openings = self._contest, self._openings
        found = bytearray()
        meetings = ((self._bots[one], self._bots[other]) for one, other in self._pairings)
        for digest in digests(
            contest.rules, contest.limits, contest.schedule.seed, openings, meetings
        ):
            found += digest
        names = list(dict.fromkeys(chain.from_iterable(self._pairings)))
        number = {name: index for index, name in enumerate(names)}
        pairs = np.array(
            [(number[one], number[other]) for one, other in self._pairings], np.int32
        ).reshape(-1, 2)
        both_sides = np.stack([pairs, pairs[:, ::-1]], axis=1)
        return GameIndex(
            self,
            found,
            names,
            np.repeat(both_sides, len(openings), axis=0).reshape(-1, 2),
            np.repeat(np.arange(1, len(pairs) + 1, dtype=np.int32), 2 * len(openings)),
        )


def index_of(games: Sequence[ScheduledGame]) -> GameIndex:
    """Return the index of games, which those of a contest have made already."""
    return games.indexed if isinstance(games, ScheduledGames) else GameIndex.of(games)
