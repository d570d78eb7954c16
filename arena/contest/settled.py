"""The games of a contest that have a result, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from arena.contest.index import GameIndex, GamesAt, Places
from arena.game.record import GameRecord
from arena.journal.packed import PackedGames, Vector
from arena.settings.contest import ScheduledGame


class SettledGame(NamedTuple):
    game: ScheduledGame
    record: GameRecord
    is_forfeit: bool
    """True if a bot was retired before; `record` is then made up."""


class SettledGames(Sequence[SettledGame]):
    """Games in schedule order, made on access. The arrays have an entry for each."""

    def __init__(
        self,
        games: Sequence[ScheduledGame],
        facts: Sequence[Vector],
        names: Sequence[str],
        table: PackedGames,
        rows: Vector,
    ) -> None:
        """Use `at` or `of` instead; `facts` are the five arrays below."""
        self._games = games
        self.numbers, self.pairings, self.openings, self.sides, self.is_forfeit = facts
        self.names = names
        """Names of the bots; `sides` (two for each game) are indices of these."""
        self.table, self.rows = table, rows
        """The records, and the row of each game's."""

    @classmethod
    def at(
        cls,
        index: GameIndex,
        places: Places,
        played: PackedGames,
        forfeits: Mapping[int, GameRecord],
    ) -> SettledGames:
        """Return the games at these places; `forfeits` are made-up records by place."""
        is_forfeit = np.isin(places, np.fromiter(forfeits, np.int32, len(forfeits)))
        rows = played.find(index.digests)[index.keys[places]]
        made_up = [forfeits[place] for place in places[is_forfeit].tolist()]
        rows[is_forfeit] = len(played) + np.arange(len(made_up))
        facts = (index.pairings[places], index.openings[places], index.sides[places])
        return cls(
            GamesAt(index.games, places),
            (index.numbers[places], *facts, is_forfeit),
            index.names,
            played.followed_by(made_up),
            rows,
        )

    @classmethod
    def of(cls, settled: Iterable[SettledGame]) -> SettledGames:
        if isinstance(settled, SettledGames):
            return settled
        every = list(settled)
        games = [each.game for each in every]
        names = list(dict.fromkeys(name for game in games for name in game.names))
        number = {name: index for index, name in enumerate(names)}
        sides = np.array([number[name] for game in games for name in game.names], np.int32)
        facts = np.array([(game.number, game.pairing, game.opening) for game in games], np.int64)
        is_forfeit = np.array([each.is_forfeit for each in every], np.bool_)
        return cls(
            games,
            (*facts.reshape(-1, 3).T, sides.reshape(-1, 2), is_forfeit),
            names,
            PackedGames.of(each.record for each in every),
            np.arange(len(every)),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(len(self))[index]]
        return self._made(self._games[index], index)

    def __iter__(self) -> Iterator[SettledGame]:
        return map(self._made, self._games, range(len(self)))

    def _made(self, game: ScheduledGame, index: int) -> SettledGame:
        record = self.table.at(int(self.rows[index]))
        return SettledGame(game, record, bool(self.is_forfeit[index]))

    def with_retries(self) -> Iterator[SettledGame]:
        rows = np.fromiter(self.table.retakes, np.int64, len(self.table.retakes))
        return (self[index] for index in np.flatnonzero(np.isin(self.rows, rows)).tolist())

    def of_bot(self, bot: str) -> Vector:
        """Return the indices of a bot's games."""
        code = self.names.index(bot) if bot in self.names else -1
        return np.flatnonzero((self.sides == code).any(axis=1))

    @property
    def digests(self) -> set[str]:
        return set(self.table.digests[self.rows].astype("U32").tolist())
