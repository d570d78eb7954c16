"""A contest under way: games done, speed, time left, the top ten, and faults as they happen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from types import TracebackType
from typing import NamedTuple

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from arena.contest import Retirement, ScheduledGame, forfeit
from arena.contest.estimate import Estimate
from arena.contest.forecast import Forecast
from arena.contest.retirement import KINDS, SHARE
from arena.numbers import about, counted, rough_duration
from arena.referee import GameRecord
from arena.report.estimate import slow_lines, time_line

LINE_SECONDS = 5.0
"""Seconds between two lines of progress where there is no terminal."""

SLOW_SECONDS = 5.0
"""Seconds after which a pairing without a result is named."""

LOOK_SECONDS, PATIENCE = 1.0, 50
"""Ratings are computed again after so many seconds, and so many times as long as it took last."""

TOP = 10


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
        ratings = self._ratings()
        return sorted(table, key=lambda row: -ratings[self.names[row[0]]])

    def faults(self, name: str) -> int:
        """Return the games that a bot lost by a fault; at the end with those that it forfeits."""
        return sum(total.faults[name] for total in self._counted())

    def _games(self, name: str) -> int:
        return sum(total.games[name] for total in self._counted())

    def _halves(self, name: str) -> int:
        return sum(total.halves[name] for total in self._counted())

    def _counted(self) -> list[_Total]:
        """Return the totals that count now."""
        return [self._totals[False], *([self._totals[True]] if self.is_over else [])]

    def _ratings(self) -> Sequence[float]:
        """Return a rating for each bot, from the games that were played."""
        from arena.statistics import Evidence, fit  # numpy takes a while

        evidence = Evidence.none(len(self.names))
        for (one, other), (games, halves) in self._met.items():
            place = self.names[one], self.names[other]
            if one != other:
                evidence.games[place] += games
                evidence.points[place] += halves / 2
        return list(fit(evidence).elo)

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


class Progress:
    """Shows a run while it goes on. A context manager."""

    def __init__(
        self,
        games: Sequence[ScheduledGame],
        known: Iterable[GameRecord],
        retired: Mapping[str, Retirement],
        console: Console,
        retire_after: int = 0,
        lanes: int = 1,
    ) -> None:
        """Begin with `known` games, which are in the journal, and the bots `retired` by them.

        `retire_after` is the schedule's; `lanes` is how many games are played at a time.
        """
        self.tally = Tally(games, retire_after)
        self.forecast = Forecast(lanes)
        self._announced: set[tuple[str, str]] = set()
        for record in known:
            self._announced.update(_fault(self._add(record), record))
        self._out = set(self.tally.retire(retired))
        self._done = 0
        self._longest = "", 0.0
        self._console = console
        self._started = self._said_at = monotonic()
        self._left: float | None = None
        self._leading: list[tuple[str, float, int]] = []
        self._look_at = 0.0
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Progress:
        self._started = self._said_at = monotonic()
        self.forecast.begin(self._started)
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()
        if self._done:
            self._look()
            self._console.print(Text(self._line(leaders=True)))

    def expect(self, estimate: Estimate, *, at_most: bool = False) -> None:
        """Say how long the run takes, and start from that; `at_most` if it may end before."""
        self.forecast.expect(estimate)
        self.tally.suspects = {name for name, share in estimate.bots.items() if share.limit}
        for line in (time_line(estimate, at_most=at_most), *slow_lines(estimate)):
            self._console.print(Text(line))

    def update(
        self,
        records: Sequence[GameRecord],
        retired: Mapping[str, Retirement],
        longest: tuple[str, float],
    ) -> None:
        """Take note of games that have ended, and show where things stand.

        `retired` are all bots that are retired now; `longest` is the pairing under way for
        longest, and its seconds: shown if it is slow.
        """
        self._longest = longest
        for record in records:
            self._done += 1
            self._announce(self._add(record), record)
        # one may have been before, and be again: later games had put it off for a moment
        new = [bot for bot in self.tally.retire(retired) if bot not in self._out]
        self._out.update(new)
        for bot in new:
            self._console.print(Text(f"{bot} is {retired[bot]}", style="yellow"))
        now, is_news = monotonic(), bool(records or new)
        self._left = self.forecast.left(self.tally.to_play(), now, is_news=is_news)
        if self._console.is_terminal:
            if now >= self._look_at:
                self._look()
            self._live.update(self._panel(), refresh=True)
        elif (
            not self.tally.is_over  # else the last line says it, on the way out
            and now - self._said_at >= LINE_SECONDS
        ):
            self._said_at = now
            self._look()
            self._console.print(Text(self._line(leaders=True)))

    def _add(self, record: GameRecord) -> ScheduledGame:
        """Count a game, and its time; returns the first game that it stands for."""
        game = self.tally.add(record)
        self.forecast.add(game, record)
        return game

    def _announce(self, game: ScheduledGame, record: GameRecord) -> None:
        """Print a line for the first fault of each kind that a bot commits."""
        for bot, verdict in set(_fault(game, record)) - self._announced:
            self._announced.add((bot, verdict))
            line = f"{verdict}  {bot} {record.reason} (game {game.number})"
            self._console.print(Text(line, style="red"))

    def _look(self) -> None:
        """See who leads; not more often than is cheap."""
        started = monotonic()
        standing = self.tally.standing()
        self._leading = [row for row in standing if row[2]][:TOP]
        self._look_at = monotonic() + max(LOOK_SECONDS, PATIENCE * (monotonic() - started))

    def _line(self, *, leaders: bool) -> str:
        tally = self.tally
        speed = self._done / max(monotonic() - self._started, 1e-9)
        parts = [f"{tally.played:,}/{tally.total - tally.forfeited:,} games"]
        if tally.forfeited:
            parts.append(counted(tally.forfeited, "forfeit"))
        parts.append(f"{speed:,.1f} games/s")
        if not tally.is_over and self._left is not None:
            parts.append(f"about {about(self._left)} left")
        if leaders:
            top = (f"{name} {points:g}/{games}" for name, points, games in self._leading[:3])
            parts.append("leading: " + ", ".join(top))
        parts.append(f"faults: {sum(map(tally.faults, tally.names)):,}")
        name, seconds = self._longest
        if seconds > SLOW_SECONDS:
            parts.append(f"{name} playing for {rough_duration(seconds)}")
        return " · ".join(parts)

    def _panel(self) -> Group:
        table = Table(header_style="bold")
        for title in ("bot", "score", "points", "games", "faults"):
            table.add_column(title, justify="left" if title == "bot" else "right", no_wrap=True)
        for name, points, games in self._leading:
            faults = self.tally.faults(name)
            table.add_row(
                Text(name),
                f"{points / games:.0%}",
                f"{points:g}",
                str(games),
                Text(str(faults), "red" if faults else ""),
            )
        return Group(table, Text(self._line(leaders=False)))


def _fault(game: ScheduledGame, record: GameRecord) -> Iterator[tuple[str, str]]:
    """Yield (bot, name of the verdict) if a bot lost the game by a fault."""
    if record.verdict.is_fault and record.loser is not None:
        yield (game.first, game.second)[record.loser], record.verdict.name
