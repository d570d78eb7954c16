"""Running totals of a contest under way, and who stands where in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from arena.contest import Retirement, ScheduledGame, forfeit
from arena.contest.retirement import KINDS, SHARE
from arena.referee import GameRecord


class _Result(NamedTuple):
    """The part of a game's record that the totals need."""

    loser: int | None
    is_game: bool
    is_fault: bool
    is_slow_fault: bool
    """True if the loser lost by a fault that bots are retired for."""
    is_forfeit: bool
    """True if it is not played, as a bot is retired."""


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
        self._by_key: Mapping[str, list[ScheduledGame]] = defaultdict(list)
        self._by_bot: Mapping[str, list[ScheduledGame]] = defaultdict(list)
        self.names: dict[str, int] = {}
        """The bots, each with a number from 0."""
        self._to_play: Counter[str] = Counter()
        for game in games:
            if game.key.digest not in self._by_key:  # identical games are played once
                self._to_play.update((game.first, game.second))
            self._by_key[game.key.digest].append(game)
            for name in (game.first, game.second):
                self._by_bot[name].append(game)
                self.names.setdefault(name, len(self.names))
        self._pairings = Counter(game.pairing for game in games)
        self._results: dict[str, _Result] = {}
        self._retired: Mapping[str, Retirement] = {}
        self._totals = {False: _Total.none(), True: _Total.none()}
        self._met: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
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
        self._results[record.key] = _result(record, is_forfeit=False)
        for game in self._by_key[record.key]:
            if forfeit(game, self._retired) is None:
                self._count(game, 1)
        return self._by_key[record.key][0]

    def retire(self, retired: Mapping[str, Retirement]) -> list[str]:
        """Take games of these bots for forfeits, and no others; returns who is new among them."""
        before, names = self._retired, {*self._retired, *retired}
        changed = [name for name in names if before.get(name) != retired.get(name)]
        games = {game.number: game for name in changed for game in self._by_bot[name]}.values()
        for game in games:
            self._count(game, -1)
        self._retired = retired
        for game in games:
            self._count(game, 1)
        return [name for name in retired if name not in before]

    def _count(self, game: ScheduledGame, times: int) -> None:
        """Add a game to the totals as it counts now; with `times` -1, take it out again."""
        made_up = forfeit(game, self._retired)
        digest = game.key.digest
        result = _result(made_up, is_forfeit=True) if made_up else self._results.get(digest)
        if result is None:
            return
        if result.is_forfeit:
            self.forfeited += times
        else:
            self.played += times
        total = self._totals[result.is_forfeit]
        is_first = self._by_key[digest][0] is game
        for seat, name in enumerate((game.first, game.second)):
            self._to_play[name] -= times * is_first
            total.games[name] += times
            halves = 0
            if result.loser == seat:
                total.faults[name] += times * result.is_fault
                self._slow_faults[name] += times * result.is_slow_fault
            elif result.is_game:
                halves = 1 if result.loser is None else 2
            total.halves[name] += times * halves
            if result.is_game and not result.is_forfeit:
                met = self._met[name, (game.second, game.first)[seat]]
                met[0] += times
                met[1] += times * halves

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
        return self._met[game.first, game.second][0], self._pairings[game.pairing]

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
        for (one, other), (games, halves) in self._met.items():
            place = self.names[one], self.names[other]
            if one != other:
                evidence.games[place] += games
                evidence.points[place] += halves / 2
        return dict(zip(self.names, map(float, fit(evidence).elo), strict=True))

    def open_games(self) -> list[ScheduledGame]:
        """Return the games that may be played, one of each that are identical."""
        games = (games[0] for key, games in self._by_key.items() if key not in self._results)
        return [game for game in games if forfeit(game, self._retired) is None]

    def to_play(self) -> dict[str, float]:
        """Estimate the games that each bot still plays: few if it is about to be retired."""
        return {name: self._left(name) for name, left in self._to_play.items() if left > 0}

    def _left(self, name: str) -> float:
        faults, left = self._slow_faults[name], self._to_play[name]
        is_suspect = faults > 0 or name in self.suspects
        if self._retire_after and is_suspect and faults * SHARE >= self._games(name):
            return min(left, max(self._retire_after - faults, 0))
        return left


def _result(record: GameRecord, *, is_forfeit: bool) -> _Result:
    is_fault, is_slow_fault = record.verdict.is_fault, record.verdict in KINDS
    return _Result(record.loser, record.is_game, is_fault, is_slow_fault, is_forfeit)
