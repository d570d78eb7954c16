"""A contest under way: games done, speed, time left, the top ten, and faults as they happen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import monotonic
from types import TracebackType
from typing import NamedTuple

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from arena.contest import Retirement, ScheduledGame, forfeit
from arena.contest.retirement import KINDS, SHARE
from arena.numbers import rough_duration
from arena.referee import GameRecord

LINE_SECONDS = 5.0
"""Seconds between two lines of progress where there is no terminal."""

SLOW_SECONDS = 5.0
"""Seconds after which a pairing without a result is named."""

TOP = 10

SITTING_NS = 500_000
"""Rough cost of a game for each side besides thinking; it matters for the fastest bots."""


class _Result(NamedTuple):
    """The part of a game's record that the totals need."""

    loser: int | None
    is_game: bool
    is_fault: bool
    is_slow_fault: bool
    """True if the loser lost by a fault that bots are retired for."""
    costs_ns: tuple[int, int] | None
    """Cost of the game for each seat; None if it was not played."""


class Tally:
    """Running totals of a contest. Games that became forfeits are taken out again."""

    def __init__(self, games: Sequence[ScheduledGame], retire_after: int = 0) -> None:
        """Begin with no game; `retire_after` is the schedule's."""
        self._retire_after = retire_after
        self._slow_faults: Counter[str] = Counter()
        self._by_key: Mapping[str, list[ScheduledGame]] = defaultdict(list)
        self._by_bot: Mapping[str, list[ScheduledGame]] = defaultdict(list)
        self._left: Counter[str] = Counter()
        for game in games:
            self._by_key[game.key.digest].append(game)
            self._left.update((game.first, game.second))
            for name in (game.first, game.second):
                self._by_bot[name].append(game)
        self._played: dict[str, _Result] = {}
        self._retired: Mapping[str, Retirement] = {}
        self._cost: Counter[str] = Counter()
        self._costed: Counter[str] = Counter()
        self._games: Counter[str] = Counter()
        self._halves: Counter[str] = Counter(dict.fromkeys(self._left, 0))
        self.total = len(games)
        """Games of the whole contest."""
        self.ended = 0
        """Games that have ended, or are forfeits."""
        self.faults: Counter[str] = Counter()
        """Games lost by a fault or forfeited, by bot."""

    def add(self, record: GameRecord) -> ScheduledGame:
        """Count a game for everybody it stands for; returns the first of these games."""
        costs = [SITTING_NS, SITTING_NS]
        for index, spent in enumerate(record.charged_ns):
            costs[record.seat_of_answer(index)] += spent
        self._played[record.key] = _result(record, (costs[0], costs[1]))
        for game in self._by_key[record.key]:
            if forfeit(game, self._retired) is None:
                self._count(game, 1)
        return self._by_key[record.key][0]

    def retire(self, retired: Mapping[str, Retirement]) -> list[str]:
        """Count the forfeits of these bots, and no others; returns who is new among them."""
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
        result = _result(made_up, None) if made_up else self._played.get(game.key.digest)
        if result is None:
            return
        self.ended += times
        for seat, name in enumerate((game.first, game.second)):
            self._left[name] -= times
            self._games[name] += times
            if result.costs_ns:
                self._cost[name] += times * result.costs_ns[seat]
                self._costed[name] += times
            if result.loser == seat:
                self.faults[name] += times * result.is_fault
                self._slow_faults[name] += times * result.is_slow_fault
            elif result.is_game:
                self._halves[name] += times * (1 if result.loser is None else 2)

    def top(self) -> list[tuple[str, float, int]]:
        """Return (bot, points, games) of the leading bots."""
        table = [(name, halves / 2, self._games[name]) for name, halves in self._halves.items()]
        return sorted(table, key=lambda row: -row[1] / max(row[2], 1))[:TOP]

    def cost_left_ns(self) -> float:
        """Estimate the time that the open games take one lane, from what each bot took so far."""
        seen = sum(self._costed.values())
        average = sum(self._cost.values()) / seen if seen else 0.0
        return sum(
            self._to_play(name)
            * (self._cost[name] / self._costed[name] if self._costed[name] else average)
            for name in self._left
        )

    def _to_play(self, name: str) -> int:
        """Estimate the games that a bot still plays: few if it is about to be retired."""
        faults, left = self._slow_faults[name], self._left[name]
        if self._retire_after and faults and faults * SHARE >= self._games[name]:
            return min(left, max(self._retire_after - faults, 0))
        return left


def _result(record: GameRecord, costs_ns: tuple[int, int] | None) -> _Result:
    is_fault, is_slow_fault = record.verdict.is_fault, record.verdict in KINDS
    return _Result(record.loser, record.is_game, is_fault, is_slow_fault, costs_ns)


class Progress:
    """Shows a run while it goes on. A context manager."""

    def __init__(
        self,
        games: Sequence[ScheduledGame],
        known: Iterable[GameRecord],
        retired: Mapping[str, Retirement],
        console: Console,
        retire_after: int = 0,
    ) -> None:
        """Begin with `known` games, which are in the journal, and the bots `retired` by them.

        `retire_after` is the schedule's.
        """
        self._tally = Tally(games, retire_after)
        self._announced: set[tuple[str, str]] = set()
        for record in known:
            self._announced.update(_fault(self._tally.add(record), record))
        self._out = set(self._tally.retire(retired))
        self._done = 0
        self._longest = "", 0.0
        self._console = console
        self._started = self._said_at = monotonic()
        self._spent_ns = 0
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Progress:
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
            self._console.print(Text(self._line(leaders=True)))

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
            self._spent_ns += sum(record.charged_ns) + 2 * SITTING_NS
            self._announce(self._tally.add(record), record)
        # one may have been before, and be again: later games had put it off for a moment
        new = [bot for bot in self._tally.retire(retired) if bot not in self._out]
        self._out.update(new)
        for bot in new:
            self._console.print(Text(f"{bot} is {retired[bot]}", style="yellow"))
        if self._console.is_terminal:
            self._live.update(self._panel(), refresh=True)
        elif (
            self._tally.ended < self._tally.total  # else the last line says it, on the way out
            and monotonic() - self._said_at >= LINE_SECONDS
        ):
            self._said_at = monotonic()
            self._console.print(Text(self._line(leaders=True)))

    def _announce(self, game: ScheduledGame, record: GameRecord) -> None:
        """Print a line for the first fault of each kind that a bot commits."""
        for bot, verdict in set(_fault(game, record)) - self._announced:
            self._announced.add((bot, verdict))
            line = f"{verdict}  {bot} {record.reason} (game {game.number})"
            self._console.print(Text(line, style="red"))

    def _seconds_left(self) -> float | None:
        """Estimate the seconds left, from the games so far and the bots that play the open ones."""
        if not self._done:
            return None
        return (monotonic() - self._started) * self._tally.cost_left_ns() / self._spent_ns

    def _line(self, *, leaders: bool) -> str:
        speed = self._done / max(monotonic() - self._started, 1e-9)
        ended = f"{self._tally.ended:,}/{self._tally.total:,} games"
        parts = [ended, f"{speed:,.1f} games/s"]
        left = self._seconds_left()
        if self._tally.ended < self._tally.total and left is not None:
            parts.append(f"about {rough_duration(left)} left")
        if leaders:
            top = (f"{name} {points:g}/{games}" for name, points, games in self._tally.top()[:3])
            parts.append("leading: " + ", ".join(top))
        parts.append(f"faults: {sum(self._tally.faults.values()):,}")
        name, seconds = self._longest
        if seconds > SLOW_SECONDS:
            parts.append(f"{name} playing for {rough_duration(seconds)}")
        return " · ".join(parts)

    def _panel(self) -> Group:
        table = Table(header_style="bold")
        for title in ("bot", "score", "points", "games", "faults"):
            table.add_column(title, justify="left" if title == "bot" else "right", no_wrap=True)
        for name, points, games in self._tally.top():
            faults = self._tally.faults[name]
            table.add_row(
                Text(name),
                f"{points / games:.0%}" if games else "",
                f"{points:g}",
                str(games),
                Text(str(faults), "red" if faults else ""),
            )
        return Group(table, Text(self._line(leaders=False)))


def _fault(game: ScheduledGame, record: GameRecord) -> Iterator[tuple[str, str]]:
    """Yield (bot, name of the verdict) if a bot lost the game by a fault."""
    if record.verdict.is_fault and record.loser is not None:
        yield (game.first, game.second)[record.loser], record.verdict.name
