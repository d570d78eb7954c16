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
    """Each bot's games, its half points and its faults, by the bots' numbers."""

    games: list[int]
    halves: list[int]
    faults: list[int]

    @classmethod
    def none(cls, bots: int) -> _Total:
        """Return the totals of no game."""
        return cls([0] * bots, [0] * bots, [0] * bots)


class Tally:
    """Running totals of a contest. Games that became forfeits are taken out again.

    Forfeits are foreseen, as soon as a bot is retired; they count once nothing is left to play.
    """

    def __init__(self, games: Sequence[ScheduledGame], retire_after: int = 0) -> None:
        """Begin with no game; `retire_after` is the schedule's."""
        self._retire_after = retire_after
        self._index = index = index_of(games)
        self._ends = Ends(index)
        self.names = {name: number for number, name in enumerate(index.names)}
        """The bots, each with a number from 0."""
        sides = index.sides[index.firsts]  # identical games are played once
        self._to_play: list[int] = np.bincount(sides.ravel(), minlength=len(self.names)).tolist()
        self._slow_faults = [0] * len(self.names)
        self._pairings = np.bincount(index.pairings)
        self.retired: Mapping[str, Retirement] = {}
        """The bots whose games are taken for forfeits, see `retire`."""
        self._totals = {made_up: _Total.none(len(self.names)) for made_up in (False, True)}
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

    def add(self, record: GameRecord) -> int:
        """Count a game for everybody it stands for; returns the place of the first of these."""
        key = self._index.key(record.key)
        assert key is not None
        self._ends.add(key, record.verdict, record.winner)
        places = self._index.places_of(key)
        for place in places:
            if self._forfeit(place) is None:
                self._count(place, key, 1, is_first=place == places[0])
        return places[0]

    def game(self, place: int) -> ScheduledGame:
        """Return the game at a place of the schedule."""
        return self._index.games[place]

    def players(self, place: int) -> tuple[str, str]:
        """Return the names of its bots, the one that moves first in front."""
        first, second = self._index.sides[place].tolist()
        return self._index.names[first], self._index.names[second]

    def retire(self, retired: Mapping[str, Retirement]) -> list[str]:
        """Take games of these bots for forfeits, and no others; returns who is new among them."""
        before, names = self.retired, {*self.retired, *retired}
        changed = [name for name in names if before.get(name) != retired.get(name)]
        if not changed:
            return []
        places = np.flatnonzero(self._index.are_with(changed))
        keys = self._index.keys[places]
        is_first = self._index.firsts[keys] == places
        games = list(zip(places.tolist(), keys.tolist(), is_first.tolist(), strict=True))
        for place, key, first in games:
            self._count(place, key, -1, is_first=first)
        self.retired = retired
        for place, key, first in games:
            self._count(place, key, 1, is_first=first)
        return [name for name in retired if name not in before]

    def _forfeit(self, place: int) -> GameRecord | None:
        """Return the made-up record of a game that is a forfeit, else None."""
        if self.retired.keys().isdisjoint(self.players(place)):
            return None  # as almost always, and no game is made for it
        return forfeit(self._index.games[place], self.retired)

    def _count(self, place: int, key: int, times: int, *, is_first: bool) -> None:
        """Add a game to the totals as it counts now; with `times` -1, take it out again.

        `key` is the number of its key. Of identical games the one that `is_first` stands for all
        that are to be played.
        """
        made_up = self._forfeit(place)
        end = made_up or self._ends.of(key)
        if end is None:
            return
        if made_up:
            self.forfeited += times
        else:
            self.played += times
        total = self._totals[made_up is not None]
        bots = self._index.sides[place].tolist()
        for seat, bot in enumerate(bots):
            self._to_play[bot] -= times * is_first
            total.games[bot] += times
            halves = 0
            if end.loser == seat:
                total.faults[bot] += times * end.verdict.is_fault
                self._slow_faults[bot] += times * (end.verdict in KINDS)
            elif end.is_game:
                halves = 1 if end.loser is None else 2
            total.halves[bot] += times * halves
            if end.is_game and not made_up:
                self._met[bot, bots[1 - seat]] += times
                self._half_points[bot, bots[1 - seat]] += times * halves

    def standing(self) -> list[tuple[str, float, int]]:
        """Return (bot, points, games) of all bots, the leading one first.

        While games are open only those count that were played, and the order is by rating, as
        bots have met others and have played more or less; at the end it is by share of points.
        """
        table = [
            (name, self._halves(bot) / 2, self._games(bot)) for name, bot in self.names.items()
        ]
        if self.is_over:
            return sorted(table, key=lambda row: -row[1] / max(row[2], 1))
        ratings = self.ratings()
        return sorted(table, key=lambda row: -ratings[row[0]])

    def faults(self, name: str) -> int:
        """Return the games that a bot lost by a fault; at the end with those that it forfeits."""
        return sum(total.faults[self.names[name]] for total in self._counted())

    def pairing(self, game: ScheduledGame) -> tuple[int, int]:
        """Return how many games of a game's pairing were played, and how many there are."""
        met = self._met[self.names[game.first], self.names[game.second]]
        return int(met), int(self._pairings[game.pairing])

    def _games(self, bot: int) -> int:
        return sum(total.games[bot] for total in self._counted())

    def _halves(self, bot: int) -> int:
        return sum(total.halves[bot] for total in self._counted())

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
        if self.retired:
            for place in np.flatnonzero(is_open & index.are_with(self.retired)).tolist():
                is_open[place] = forfeit(index.games[place], self.retired) is None
        met = np.zeros_like(self._met)
        np.add.at(met, tuple(index.sides[is_open].T), 1)
        open_pairs: Counter[tuple[str, str]] = Counter()
        for first, second in np.argwhere(met).tolist():
            one, other = sorted((index.names[first], index.names[second]))
            open_pairs[one, other] += int(met[first, second])
        return open_pairs

    def to_play(self) -> dict[str, float]:
        """Estimate the games that each bot still plays: few if it is about to be retired."""
        return {
            name: self._left(name, bot)
            for name, bot in self.names.items()
            if self._to_play[bot] > 0
        }

    def _left(self, name: str, bot: int) -> float:
        faults, left = self._slow_faults[bot], self._to_play[bot]
        is_suspect = faults > 0 or name in self.suspects
        if self._retire_after and is_suspect and faults * SHARE >= self._games(bot):
            return min(left, max(self._retire_after - faults, 0))
        return left
