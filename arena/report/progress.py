"""A contest under way: games done, speed, time left, the top ten, and faults as they happen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import monotonic
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from arena.contest import Retirement, Run, ScheduledGame, Session
from arena.contest.estimate import Plan, estimate, plan_of, to_play
from arena.contest.forecast import Forecast
from arena.contest.savings import SHORT, savings
from arena.numbers import about, counted, rough_duration
from arena.referee import GameRecord
from arena.report.estimate import saving_lines, slow_lines, time_line
from arena.report.tally import Tally

LINE_SECONDS = 5.0
"""Seconds between two lines of progress where there is no terminal."""

SLOW_SECONDS = 5.0
"""Seconds after which a pairing without a result is named."""

LOOK_SECONDS, PATIENCE = 1.0, 50
"""Ratings are computed again after so many seconds, and so many times as long as it took last."""

TOP = 10


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
        *,
        at_most: bool = False,
    ) -> None:
        """Begin with `known` games, which are in the journal, and the bots `retired` by them.

        `retire_after` is the schedule's; `lanes` is how many games are played at a time. With
        `at_most` the run may end before all games are played.
        """
        self._at_most = "at most " if at_most else ""
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

    @classmethod
    def of(cls, session: Session, run: Run, console: Console, lanes: int) -> Progress:
        """Return the progress of a session's run; says how long it takes."""
        contest, schedule = session.contest, session.contest.schedule
        progress = cls(
            session.games,
            run.known(),
            run.retired,
            console,
            schedule.retire_after,
            lanes,
            at_most=bool(schedule.until_settled),
        )
        open_games = progress.tally.open_games() if run.missing else ()
        games, known = to_play(open_games), progress.forecast.known
        progress._expect(plan_of(contest, games, session.paces, known, lanes), schedule.openings)
        return progress

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
        if kind is None:
            self._left = None  # a contest may be settled with games left
        if self._done:
            self._look()
            self._console.print(Text(self._line(leaders=True)))

    def _expect(self, plan: Plan, openings: int) -> None:
        """Say how long the games of a plan take, and start from that.

        Of a contest that takes a while say as well who is slow, and what would save time.
        """
        found = estimate(plan)
        if found is None:
            return
        self.forecast.expect(found)
        self.tally.suspects = {name for name, share in found.bots.items() if share.limit}
        at_most = bool(self._at_most)
        self._console.print(Text(time_line(found, at_most=at_most)))
        if found.seconds > SHORT:
            for line in (*slow_lines(found), *saving_lines(savings(plan, openings), at_most)):
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
        parts = [f"{tally.played:,}/{self._at_most}{tally.total - tally.forfeited:,} games"]
        if tally.forfeited:
            parts.append(counted(tally.forfeited, "forfeit"))
        parts.append(f"{speed:,.1f} games/s")
        if not tally.is_over and self._left is not None:
            parts.append(f"{self._at_most}about {about(self._left)} left")
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
