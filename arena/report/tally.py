"""Running totals of a contest under way, and who stands where in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.contest import Retirement, ScheduledGame, forfeit
from arena.contest.ends import Ends
from arena.contest.retirement import KINDS, SHARE
from arena.contest.scheduled_games import index_of
from arena.referee import GameRecord


class _Total(NamedTuple):
    """A bot's games, its half points and its faults."""

    games: Counter[str]
    halves: Counter[str]
    faults: Counter[str]

    @classmethod
    def none(cls) -> _Total:
        """Return the totals of no game."""
        return cls(Counter(), Counter(), Counter())


class Tally:
    """Running totals of a contest. Games that became forfeits are taken out again.

    Forfeits are foreseen, as soon as a bot is retired; they count once nothing is left to play.
    """

    def __init__(self, games: Sequence[ScheduledGame], retire_after: int = 0) -> None:
        """Begin with no game; `retire_after` is the schedule's."""
        self._retire_after = retire_after
        self._slow_faults: Counter[str] = Counter()
        self._index = index = index_of(games)
        self._ends = Ends(index)
        self.names = {name: number for number, name in enumerate(index.names)}
        """The bots, each with a number from 0."""
        sides = index.sides[index.firsts]  # identical games are played once
        of_bot = np.bincount(sides.ravel(), minlength=len(self.names)).tolist()
        self._to_play = Counter(dict(zip(self.names, of_bot, strict=True)))
        self._pairings = np.bincount(index.pairings)
        self._retired: Mapping[str, Retirement] = {}
        self._totals = {False: _Total.none(), True: _Total.none()}
        self._met = np.zeros((len(self.names), len(self.names)), np.int32)
        self._half_points = np.zeros_like(self._met)  # of one, by its index, against another
        self.total = len(games)
        """Games of the whole contest."""
        self.played = 0
        """Games that were played and count."""
        self.suspects: Container[str] = ()
        """Bots that are taken to hang until they end a game."""
        self.forfeited = 0
        """Games that are not played, as a bot is retired."""

    @property
    def is_over(self) -> bool:
        """True if every game was played or is a forfeit."""
        return self.played + self.forfeited == self.total

    def add(self, record: GameRecord) -> ScheduledGame:
        """Count a game for everybody it stands for; returns the first of these games."""
        key = self._index.key(record.key)
        assert key is not None
        self._ends.add(key, record.verdict, record.winner)
        games = list(self._index.with_key(key))
        for game in games:
            if forfeit(game, self._retired) is None:
                self._count(game, key, 1, is_first=game is games[0])
        return games[0]

    def retire(self, retired: Mapping[str, Retirement]) -> list[str]:
        """Take games of these bots for forfeits, and no others; returns who is new among them."""
        before, names = self._retired, {*self._retired, *retired}
        changed = [name for name in names if before.get(name) != retired.get(name)]
        if not changed:
            return []
        places = np.flatnonzero(self._index.are_with(changed))
        keys = self._index.keys[places]
        is_first = self._index.firsts[keys] == places
        games = list(zip(places.tolist(), keys.tolist(), is_first.tolist(), strict=True))
        for place, key, first in games:
            self._count(self._index.games[place], key, -1, is_first=first)
        self._retired = retired
        for place, key, first in games:
            self._count(self._index.games[place], key, 1, is_first=first)
        return [name for name in retired if name not in before]

    def _count(self, game: ScheduledGame, key: int, times: int, *, is_first: bool) -> None:
        """Add a game to the totals as it counts now; with `times` -1, take it out again.

        `key` is the number of its key. Of identical games the one that `is_first` stands for all
        that are to be played.
        """
        made_up = forfeit(game, self._retired)
        end = made_up or self._ends.of(key)
        if end is None:
            return
        if made_up:
            self.forfeited += times
        else:
            self.played += times
        total = self._totals[made_up is not None]
        for seat, name in enumerate((game.first, game.second)):
            self._to_play[name] -= times * is_first
            total.games[name] += times
            halves = 0
            if end.loser == seat:
                total.faults[name] += times * end.verdict.is_fault
                self._slow_faults[name] += times * (end.verdict in KINDS)
            elif end.is_game:
                halves = 1 if end.loser is None else 2
            total.halves[name] += times * halves
            if end.is_game and not made_up:
                met = self.names[name], self.names[(game.second, game.first)[seat]]
                self._met[met] += times
                self._half_points[met] += times * halves

    def standing(self) -> list[tuple[str, float, int]]:
        """Return (bot, points, games) of all bots, the leading one first.

        While games are open only those count that were played, and the order is by rating, as
        bots have met others and have played more or less; at the end it is by share of points.
        """
        table = [(name, self._halves(name) / 2, self._games(name)) for name in self.names]
        if self.is_over:
            return sorted(table, key=lambda row: -row[1] / max(row[2], 1))
        ratings = self.ratings()
        return sorted(table, key=lambda row: -ratings[row[0]])

    def faults(self, name: str) -> int:
        """Return the games that a bot lost by a fault; at the end with those that it forfeits."""
        return sum(total.faults[name] for total in self._counted())

    def pairing(self, game: ScheduledGame) -> tuple[int, int]:
        """Return how many games of a game's pairing were played, and how many there are."""
        met = self._met[self.names[game.first], self.names[game.second]]
        return int(met), int(self._pairings[game.pairing])

    def _games(self, name: str) -> int:
        return sum(total.games[name] for total in self._counted())

    def _halves(self, name: str) -> int:
        return sum(total.halves[name] for total in self._counted())

    def _counted(self) -> list[_Total]:
        """Return the totals that count now."""
        return [self._totals[False], *([self._totals[True]] if self.is_over else [])]

    def ratings(self) -> dict[str, float]:
        """Return a rating for each bot, by name, from the games that were played."""
        from arena.statistics import Evidence, fit  # numpy takes a while

        evidence = Evidence.none(len(self.names))
        evidence.games[:] = self._met
        evidence.points[:] = self._half_points / 2
        return dict(zip(self.names, map(float, fit(evidence).elo), strict=True))

    def open_pairs(self) -> Counter[tuple[str, str]]:
        """Return how many games any two may still play, by their names in alphabetical order.

        Identical games are played once.
        """
        index = self._index
        is_open = np.zeros(len(index.games), np.bool_)
        is_open[index.firsts[~self._ends.are_known]] = True
        if self._retired:
            for place in np.flatnonzero(is_open & index.are_with(self._retired)).tolist():
                is_open[place] = forfeit(index.games[place], self._retired) is None
        met = np.zeros_like(self._met)
        np.add.at(met, tuple(index.sides[is_open].T), 1)
        open_pairs: Counter[tuple[str, str]] = Counter()
        for first, second in np.argwhere(met).tolist():
            one, other = sorted((index.names[first], index.names[second]))
            open_pairs[one, other] += int(met[first, second])
        return open_pairs

    def to_play(self) -> dict[str, float]:
        """Estimate the games that each bot still plays: few if it is about to be retired."""
        return {name: self._left(name) for name, left in self._to_play.items() if left > 0}

    def _left(self, name: str) -> float:
        faults, left = self._slow_faults[name], self._to_play[name]
        is_suspect = faults > 0 or name in self.suspects
        if self._retire_after and is_suspect and faults * SHARE >= self._games(name):
            return min(left, max(self._retire_after - faults, 0))
        return left
