"""A contest's estimated time, its faults, and its progress: a live view or lines."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from math import inf
from time import monotonic, thread_time
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.common.system import ENDING
from arena.common.text import SECOND, counted, duration, estimated_duration, rough_duration, some_of
from arena.contest.estimate import BotShare, Estimate, Forecast, Plan, estimate
from arena.contest.retirement import Retirement
from arena.contest.run import Playing, Run
from arena.contest.session import Session
from arena.game.record import GameRecord
from arena.report.screen.live import ReplayFrame, Scene, fault_line, view
from arena.report.tally import Scoreboard, Standing
from arena.settings.contest import Contest, Schedule, ScheduledGame

LINE_SECONDS = 5.0  # seconds between lines of progress without a terminal
SLOW_SECONDS = 5.0  # seconds after which a line names a game that is still played

# Seconds between two computations of the standings: at least LOOK_SECONDS, and PATIENCE times the
# CPU time of the last computation.
LOOK_SECONDS, PATIENCE = 1.0, 100

# Least and most seconds between frames. Between these limits, a pause is PATIENCE times as long as
# drawing the last frame took, as a slow terminal delays the contest.
FRAME_SECONDS, FRAME_MOST = 0.25, 5.0
BEGINNING = "the first games are being played"  # instead of the speed, as bots may load slowly
DAY_SECONDS = 20 * 3600.0  # time to a contest's end from which a line names its day
SHORT = 60.0  # estimated seconds of a contest up to which slow bots are not named
TOP = 3  # bots named in a line of progress
MOST = 5  # bots named in a line about the estimate
ALL_GAMES = Schedule()  # Without a choice of games.


def time_line(estimate: Estimate, plan: Schedule = ALL_GAMES) -> str:
    """Return the time of all games: `about 12 min on 2 lanes (9 min to 16 min)`."""
    low, high = estimated_duration(estimate.low), estimated_duration(estimate.high)
    between = f" ({low} to {high})" if low != high else ""
    prefix = "at most about" if plan.in_rounds else "about"
    if plan.until is not None:
        prefix = "all games would take about"
    duration = estimated_duration(estimate.seconds)
    return f"{prefix} {duration} on {counted(estimate.lanes, 'lane')}{between}"


def end_line(contest: Contest, now: datetime) -> str:
    until = contest.schedule.until
    if until is None:
        return ""
    if (seconds := contest.schedule.seconds_left(now)) > 0:
        day = f"on {until.astimezone():%Y-%m-%d} " * (seconds > DAY_SECONDS)
        at = f"{until.astimezone():%H:%M}, in {estimated_duration(seconds)}"
        return f"ends {day}at {at}; the games that tell most are played first"
    return (
        f"its time ended on {until.astimezone():%Y-%m-%d at %H:%M}: only games are played that "
        "every bot needs for a grade; --within 1h plays more"
    )


def slow_lines(estimate: Estimate) -> Iterator[str]:
    total = sum(share.total for share in estimate.bots.values()) or 1.0
    slow = [name for name in estimate.slow if not estimate.bots[name].limit]
    if slow:
        facts = (_fact(name, estimate.bots[name], total) for name in slow[:MOST])
        more = f"; and {counted(len(slow) - MOST, 'bot')} more" if len(slow) > MOST else ""
        yield f"slow: {'; '.join(facts)}{more}"
    if waiting := [name for name, share in estimate.bots.items() if share.limit]:
        said = "assumed to run out of time"
        yield f"no answer in the time of a trial: {some_of(waiting, MOST)}; {said}"


def estimate_record(estimate: Estimate | None, **facts: Any) -> dict[str, Any]:
    """Return an estimate as plain data; times in seconds, None if unknown."""
    record: dict[str, Any] = {**facts, "seconds": None, "low": None, "high": None, "players": []}
    if estimate is not None:
        total = sum(share.total for share in estimate.bots.values()) or 1.0
        record |= {"seconds": estimate.seconds, "low": estimate.low, "high": estimate.high}
        record["players"] = [
            {
                "name": name,
                "first_move_seconds": share.first,
                "move_seconds": share.move,
                "game_seconds": share.game,
                "share": share.total / total,
                "unanswered": share.limit > 0,
            }
            for name, share in sorted(estimate.bots.items(), key=lambda item: -item[1].total)
        ]
    return record


def _fact(name: str, share: BotShare, total: float) -> str:
    move = f"{duration(share.move * SECOND)} a move"
    if share.first > 2 * share.move:
        move += f" and {duration(share.first * SECOND)} the first"
    return f"{name} {move}, {share.total / total:.0%} of all time"


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Delay signals that would end the command until the block has ended.

    A C module that is interrupted while it is imported loses the interrupt, or cannot be imported.
    """
    waiting: list[int] = []

    def hold(number: int, _frame: object) -> None:
        waiting.append(number)

    before = {number: signal.signal(number, hold) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for held in waiting:
            signal.raise_signal(held)


class Progress:
    def __init__(
        self,
        contest: Contest,
        games: Sequence[ScheduledGame],
        known: Iterable[GameRecord],
        retired: Mapping[str, Retirement],
        console: Console,
        lanes: int = 1,
    ) -> None:
        """Start with the journal's `known` games, and the bots `retired` because of them.

        `lanes` is the number of games played at a time.
        """
        # a contest played until settled may end before all games are played
        self._plan = contest.schedule
        self._at_most = "at most " if contest.schedule.in_rounds else ""
        left = contest.schedule.seconds_left(datetime.now(UTC))
        self._until = monotonic() + left if left > 0 else inf  # By the monotonic clock.
        self.tally = Scoreboard(contest, games)
        self.forecast = Forecast(lanes)
        for record in known:
            self._add(record)
        self._out = set(self.tally.retire(retired))
        self._done = 0
        self._lanes: list[Playing | None] = [None] * lanes
        self._watched: ReplayFrame | None = None
        self._latest: tuple[int, GameRecord] | None = None
        self._console = console
        self._is_live = console.is_terminal and not console.is_dumb_terminal
        self._started = self._said_at = monotonic()
        self._left: float | None = None
        self._is_news, self._forecast_at = False, 0.0
        self._leading: list[Standing] = []
        self._look_at = self._same_at = self._draw_at = 0.0
        self._size = console.size
        self._live = Live(
            console=console, auto_refresh=False, transient=True, vertical_overflow="crop"
        )

    @classmethod
    def of(cls, session: Session, run: Run, console: Console, lanes: int) -> Progress:
        """Print a run's estimated time and order its games by it; return the progress."""
        contest = session.contest
        progress = cls(contest, session.games, run.known(), run.retired, console, lanes)
        games = progress.tally.remaining_games() if run.missing else {}
        known = progress.forecast.known
        found = estimate(Plan(contest, games, session.paces, known, lanes))
        if found is not None:
            progress._expect(found)
            suspects = [name for name, share in found.bots.items() if share.limit]
            run.expect({name: share.game for name, share in found.bots.items()}, suspects)
        return progress

    def __enter__(self) -> Progress:
        self._started = self._said_at = monotonic()
        self.forecast.begin(self._started)
        if self._is_live:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._is_live:
            self._live.stop()
        if kind is None:
            self._left = None  # a contest may be settled with games left
            for bot in sorted(self._out - self.tally.retired.keys()):
                self._console.print(Text(f"{bot} is not retired after all", style="yellow"))
        if self._done:
            self._same_at = 0.0
            self._look()
            self._console.print(Text(self._line()))

    def _expect(self, found: Estimate) -> None:
        self.forecast.expect(found)
        self.tally.suspects = {name for name, share in found.bots.items() if share.limit}
        self._console.print(Text(time_line(found, self._plan)))
        for line in slow_lines(found) if found.seconds > SHORT else ():
            self._console.print(Text(line))

    def update(
        self,
        records: Sequence[GameRecord],
        retired: Mapping[str, Retirement],
        running: Sequence[Playing],
    ) -> None:
        """Count games that have ended, and show the state of the contest.

        `retired` has all retired bots, `running` the lanes' games. Call `update` once more, without
        records, at the end.
        """
        if records and not self._done:
            with interrupts_held():
                import arena.ranking.leaderboard  # noqa: F401 (slow; games continue meanwhile)
        now_playing = {each.lane: each for each in running}
        for lane, before in enumerate(self._lanes):
            # a lane that has just returned games gets new ones at once
            self._lanes[lane] = now_playing.get(lane, before if records else None)
        for record in records:
            self._done += 1
            self._latest = self._add(record), record
            if record.verdict.is_fault and record.loser is not None:
                fault = next(reversed(self.tally.faults.values()))
                if fault.times == 1:
                    self._console.print(fault_line(fault, self._console.width))
        # a later game may cancel a retirement, and another may restore it
        new = [bot for bot in self.tally.retire(retired) if bot not in self._out]
        self._out.update(new)
        for bot in new:
            self._console.print(Text(f"{bot} is {retired[bot]}", style="yellow"))
        now = monotonic()
        self._is_news |= bool(records or new)
        if now >= self._forecast_at:
            to_play = self.tally.to_play()
            self._left = self.forecast.left(to_play, now, is_news=self._is_news)
            if self._until < inf and (self._left is None or self._left > self._until - now):
                self._left = max(self._until - now, 0.0)
            self._is_news, self._forecast_at = False, now + FRAME_SECONDS
        if self._is_live:
            if now >= self._draw_at:
                self._draw(now)
        elif (
            not self.tally.is_over  # else `__exit__` prints the last line
            and now - self._said_at >= LINE_SECONDS
        ):
            self._said_at = now
            self._look()
            self._console.print(Text(self._line()))

    def _add(self, record: GameRecord) -> int:
        """Count a game and its time; return the index of the first scheduled game that it is."""
        place = self.tally.add(record)
        self.forecast.add(self.tally.players(place), record)
        return place

    def _look(self) -> None:
        started = thread_time()  # CPU time, as waiting for a core costs the bots nothing
        if monotonic() >= self._same_at:
            self.tally.find_same()
            self._same_at = monotonic() + PATIENCE * (thread_time() - started)
            started = thread_time()
        self._leading = [row for row in self.tally.standing() if row.games]
        self._look_at = monotonic() + max(LOOK_SECONDS, PATIENCE * (thread_time() - started))

    def _line(self) -> str:
        parts = self._facts()
        top = (f"{row.name} {row.points:g}/{row.games}" for row in self._leading[:TOP])
        parts += ["leading: " + ", ".join(top)] if self._done else []
        parts.append(self._faults_told())
        longest = max(filter(None, self._lanes), key=lambda each: each.seconds, default=None)
        if longest is not None and longest.seconds > SLOW_SECONDS:
            pairing = f"{longest.game.first} – {longest.game.second}"
            parts.append(f"{pairing} playing for {rough_duration(longest.seconds)}")
        return " · ".join(parts)

    def _facts(self) -> list[str]:
        tally = self.tally
        speed = self._done / max(monotonic() - self._started, 1e-9)
        parts = [f"{tally.played:,}/{self._at_most}{tally.total - tally.forfeited:,} games"]
        if tally.forfeited:
            parts.append(counted(tally.forfeited, "forfeit"))
        parts.append(f"{speed:,.1f} games/s" if self._done else BEGINNING)
        if not tally.is_over and self._left is not None:
            parts.append(f"{self._at_most}about {estimated_duration(self._left)} left")
        return parts

    def _faults_told(self) -> str:
        return f"faults: {sum(row.faults for row in self._leading):,}"

    def _draw(self, now: float) -> None:
        if now >= self._look_at:
            self._look()
        started = monotonic()
        latest = self._latest and (self.tally.game(self._latest[0]), self._latest[1])
        if self._watched is not None:
            self._watched = self._watched.next(latest)
        elif latest is not None:
            self._watched = ReplayFrame.begin(*latest)
        if (
            size := self._console.size
        ) != self._size:  # the terminal may have moved the drawn lines
            self._size = size
            self._live.stop()
            self._console.clear()
            self._live.start()
        # leave a line for messages, and room for ^C, which terminals echo
        tally = self.tally
        share = tally.played / max(tally.total - tally.forfeited, 1)
        if self._until < inf:
            share = min(max(share, (now - self._started) / (self._until - self._started)), 1.0)
        scene = Scene(
            share=share,
            facts=[*self._facts(), self._faults_told()],
            standings=self._leading,
            lanes=[*filter(None, self._lanes)],
            watched=self._watched,
            faults=tuple(tally.faults.values()),
        )
        drawn = view(scene, max(size.width - 2, 1), max(size.height - 1, 1))
        self._live.update(drawn, refresh=True)
        ended = monotonic()
        pause = max(FRAME_SECONDS, PATIENCE * (ended - started))
        self._draw_at = ended + min(pause, FRAME_MOST)
