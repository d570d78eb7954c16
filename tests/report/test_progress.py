"""The time left and the standing of a run, in contests whose games and clock are scripted."""

from __future__ import annotations

import heapq
import io
import random
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise
from typing import Any

import pytest
from rich.console import Console

from arena.contest.estimate import Forecast, Plan, estimate, to_play
from arena.contest.retirement import settle
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.report.screen.progress import Progress, end_line, interrupts_held
from arena.report.tally import Scoreboard
from arena.rules import Goal, Ruleset
from arena.settings.contest import ScheduledGame
from arena.trials.pace import Pace
from support.scripted import by_key, contest_of, games_between, lost, sample_order

MOVES = 11
TICK = 0.25


def round_robin(names: Sequence[str], rounds: int) -> list[ScheduledGame]:
    """Every pairing of each round, with both sides."""
    pairs = [pair for one, two in combinations(names, 2) for pair in ((one, two), (two, one))]
    return games_between(*pairs * rounds)


def announced(
    moves: Mapping[str, float], *, rounds: int = 6, told: bool = True, speed: float = 1.0
) -> list[tuple[float, float]]:
    """Play a contest of bots with these seconds a move on two lanes; the last point is its end.

    Return (time, announced end) for each tick. A bot's probes are off by a third, its moves vary,
    and a lane's second takes `speed`.
    """
    draw = random.Random(1)
    games = round_robin(list(moves), rounds)
    paces = {
        name: Pace(first=move, later=tuple(move * draw.choice([2 / 3, 1, 3 / 2]) for _ in range(3)))
        for name, move in moves.items()
    }
    contest = replace(
        contest_of(games, retire_after=5, min_plies=10, max_plies=10),
        rules=Ruleset(4, 8, goal=Goal.MOST),  # of MOVES moves a bot
    )
    plan = Plan(contest, to_play(games), paces, {}, lanes=2)
    tally = Scoreboard(contest_of(games, retire_after=5), games)
    forecast = Forecast(2)
    if told and (expected := estimate(plan)):
        forecast.expect(expected)
    forecast.begin(0.0)
    queue = deque(played(game, moves, draw) for game in games)
    lanes: list[tuple[float, str, GameRecord, ScheduledGame]] = []
    ends, now = [], 0.0
    while queue or lanes:
        while queue and len(lanes) < 2:
            game, record = queue.popleft()
            ends_at = now + speed * (sum(record.charged_ns) / 1e9 + 0.001)
            heapq.heappush(lanes, (ends_at, record.key, record, game))
        is_news = lanes[0][0] <= now + TICK
        now = lanes[0][0] if is_news else now + TICK
        if is_news:
            _, _, record, game = heapq.heappop(lanes)
            forecast.add(tally.players(tally.add(record)), record)
        if (left := forecast.left(tally.to_play(), now, is_news=is_news)) is not None:
            ends.append((now, now + left))
    return ends


def played(
    game: ScheduledGame, moves: Mapping[str, float], draw: random.Random
) -> tuple[ScheduledGame, GameRecord]:
    """A game of some moves, each of about its bot's time."""
    charged = tuple(
        round(1e9 * moves[(game.first, game.second)[ply % 2]] * draw.uniform(0.5, 1.5))
        for ply in range(2 * draw.randint(MOVES - 4, MOVES + 4))
    )
    record = lost(game, draw.choice([game.first, game.second]), Verdict.LINE)
    return game, replace(record, charged_ns=charged, nodes=(-1,) * len(charged))


QUICK = {f"quick{number:02}": 0.002 for number in range(9)}
MIXED = {f"bot{number:02}": 0.002 * 2**number for number in range(10)}


@pytest.mark.parametrize(
    "moves",
    [
        MIXED,
        QUICK | {"slow": 2.0},
        {"slow": 2.0} | QUICK,
        QUICK | {f"slow{number}": 1.0 for number in range(3)},
    ],
    ids=["mixed", "a slow one last", "a slow one first", "three slow ones"],
)
def test_the_announced_end_stays_within_a_third_and_never_jumps(moves: Mapping[str, float]) -> None:
    ends = announced(moves)
    true = ends[-1][0]
    assert true > 100
    assert all(abs(end - true) < true / 3 for now, end in ends if now > 0.05 * true)
    assert all(abs(end - true) < true / 8 for now, end in ends if now > 0.5 * true)
    assert all(abs(after[1] - end[1]) < true / 8 for end, after in pairwise(ends))


def test_a_busy_machine_is_noticed() -> None:
    ends = announced(MIXED, speed=2.0)
    true = ends[-1][0]
    assert ends[0][1] < 0.75 * true
    assert all(abs(end - true) < true / 5 for now, end in ends if now > 0.2 * true)


def test_without_an_estimate_nothing_is_announced_until_half_of_the_bots_have_played() -> None:
    forecast = Forecast(1)
    forecast.begin(0.0)
    games = games_between(("a", "b"), ("c", "d"), ("e", "f"))
    left = dict.fromkeys("abcdef", 1.0)
    for game, is_told in zip(games, (False, True), strict=False):
        forecast.add((game.first, game.second), lost(game, game.first))
        assert (forecast.left(left, 1.0, is_news=True) is not None) == is_told


def test_while_nothing_ends_the_announced_end_stands_still_or_recedes() -> None:
    forecast = Forecast(1)
    forecast.begin(0.0)
    (game, *_) = games_between(("a", "b"))
    forecast.add((game.first, game.second), replace(lost(game, "a"), charged_ns=(10**10,)))
    left = {"a": 10.0, "b": 10.0}
    first = forecast.left(left, 10.0, is_news=True)
    ends = [now + (forecast.left(left, now, is_news=False) or 0) for now in range(10, 200)]
    assert first == pytest.approx(ends[0] - 10)
    assert ends == sorted(ends)
    assert ends[-1] > 200  # nine more games wait, whatever this one does


def test_forfeits_count_as_soon_as_a_bot_is_retired() -> None:
    games = games_between(("x", "a"), ("x", "a"), ("x", "a"), ("a", "b"), ("b", "a"))
    tally = Scoreboard(contest_of(games, retire_after=1), games)
    for game in sorted(games[:3], key=lambda game: game.key.digest)[:1]:
        record = lost(game, "x")
        tally.add(record)
    tally.retire(settle(games, {record.key: record}, 1).retired)
    assert (tally.played, tally.forfeited) == (1, 2)
    rows = {row.name: (row.points, row.games, row.faults) for row in tally.standing()}
    assert rows == {"a": (3, 3, 0), "x": (0, 3, 3), "b": (0, 0, 0)}
    for game in games[3:]:
        tally.add(lost(game, "b", Verdict.LINE))
    assert tally.is_over
    rows = {row.name: (row.points, row.games, row.faults) for row in tally.standing()}
    assert rows == {"a": (5, 5, 0), "x": (0, 3, 3), "b": (0, 2, 0)}


class Run:
    """The progress of a run without a terminal, whose lines are kept."""

    def __init__(
        self, games: list[ScheduledGame], known: Sequence[GameRecord] = (), **schedule: Any
    ) -> None:
        self._console = Console(file=io.StringIO(), width=200)
        contest = contest_of(games, **schedule)
        self._games, self._after = games, contest.schedule.retire_after
        retired = settle(games, by_key(*known), self._after).retired
        self._progress = Progress(contest, games, known, retired, self._console)
        self._records = list(known)

    def __call__(self, *updates: Sequence[GameRecord] | None) -> list[str]:
        """Return the lines after these games, and at the end; after None, nobody is retired."""
        with self._progress:
            for records in updates:
                self._records += records or ()
                retired = settle(self._games, by_key(*self._records), self._after).retired
                self._progress.update(records or (), {} if records is None else retired, ())
        lines: list[str] = self._console.file.getvalue().splitlines()  # type: ignore[attr-defined]
        return lines


def test_the_line_counts_what_was_played_and_tells_forfeits_apart() -> None:
    games = games_between(*[("x", "a")] * 3, ("a", "b"))
    record = lost(min(games[:3], key=lambda game: game.key.digest), "x")
    line = Run(games, retire_after=1)([record])[-1]
    assert line.startswith("1/2 games · 2 forfeits · ")
    assert "leading: a 3/3, x 0/3 · faults: 3" in line


def test_a_run_that_goes_on_announces_only_faults_and_retirements_that_are_new() -> None:
    games = sample_order(games_between(*[("x", "a"), ("y", "a")] * 4))
    x, y = ([game for game in games if game.first == name] for name in "xy")
    before = [lost(x[0], "x"), lost(x[1], "x"), lost(y[0], "y")]
    now = [lost(x[2], "x"), lost(y[1], "y", Verdict.ERROR), lost(y[2], "y")]
    assert Run(games, before, retire_after=2)(now, None)[:-1] == [
        f"ERROR  y lost (game {y[1].number})",
        "y is retired after losing 2 of 3 games by TIMEOUT",
        "x is not retired after all",
        "y is not retired after all",
    ]


def test_of_a_run_that_may_end_before_all_is_said_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.report.screen.progress.LINE_SECONDS", 0.0)
    games = games_between(("a", "b"), ("b", "a"))
    line = Run(games, until_settled=0.9)([lost(games[0], "a", Verdict.LINE)])[0]
    assert line.startswith("1/at most 2 games · ")
    assert " · at most about 1 s left · " in line


def test_where_a_run_stands_at_its_end_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.report.screen.progress.LINE_SECONDS", 0.0)
    games = games_between(("x", "a"), ("a", "x"))
    lines = Run(games)(*([lost(game, "x", Verdict.LINE)] for game in games))
    assert [line.split(" ")[0] for line in lines] == ["1/2", "2/2"]


def test_games_are_open_that_were_not_played_and_are_no_forfeits_each_once() -> None:
    games = games_between(("x", "a"), ("x", "a"), ("a", "b"), ("twin", "b"), files={"twin": "a"})
    twin = replace(games[3], key=games[2].key)
    games = sorted([*games[:2], games[2], twin], key=lambda game: game.number)
    tally = Scoreboard(contest_of(games, retire_after=1), games)
    record = lost(min(games[:2], key=lambda game: game.key.digest), "x")
    assert tally.remaining_games() == {("a", "x"): 2, ("a", "b"): 1}
    tally.add(record)
    tally.retire(settle(games, {record.key: record}, 1).retired)
    assert tally.remaining_games() == {("a", "b"): 1}
    assert tally.to_play() == {"a": 1, "b": 1}


def test_an_interrupt_waits_until_what_must_not_be_interrupted_is_over() -> None:
    """A C module that is interrupted while it is imported loses the interrupt."""
    ended = False
    with pytest.raises(KeyboardInterrupt), interrupts_held():
        signal.raise_signal(signal.SIGINT)
        ended = True
    assert ended
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_the_end_of_a_timed_contest_has_a_day_if_it_is_far() -> None:
    now = datetime(2026, 12, 1, 22, tzinfo=UTC)
    for hours, has_day in ((8, False), (72, True)):
        until = now + timedelta(hours=hours)
        line = end_line(contest_of(games_between(("a", "b")), until=until), now)
        assert (f"{until.astimezone():%Y-%m-%d}" in line) == has_day
        assert f"{until.astimezone():%H:%M}, in {hours} h" in line
