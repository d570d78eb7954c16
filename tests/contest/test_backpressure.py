"""Of a contest of many games only those that are being played take memory."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.bots import FIRST_FREE, LAST_FREE

from arena.contest import (
    BotEntry,
    Contest,
    Journal,
    Lanes,
    Run,
    Schedule,
    ScheduledGame,
    available_cores,
)
from arena.contest.driver import Batch, Driver
from arena.contest.queue import MAX_BATCH, SHARES
from arena.contest.scheduled_games import ScheduledGames
from arena.intake import read_submission
from arena.referee import Bot, GameKey, GameRecord, Limits, Verdict
from arena.report.tally import Tally
from tests.support.on_lanes import OnLanes

LANES = 2


def contest_of(bots: dict[str, Bot], openings: int) -> ScheduledGames:
    limits = Limits(move_seconds=5.0, first_move_seconds=5.0)
    contest = Contest(
        bots={name: BotEntry() for name in bots}, limits=limits, schedule=Schedule(seed=1)
    )
    drawn = [tuple(number // 6**place % 6 for place in range(4)) for number in range(openings)]
    return ScheduledGames(contest, bots, drawn)


def strangers(count: int) -> dict[str, Bot]:
    return {
        f"bot {number}": Bot(content_hash=str(number), root=str(number)) for number in range(count)
    }


def alive(kind: type) -> int:
    """Return the number of these objects in memory."""
    return sum(type(each) is kind for each in gc.get_objects())


def arrays_in(thing: object) -> list[NDArray[Any]]:
    """Return the arrays that an object keeps, with those that they are a view of."""
    arrays = [each for each in vars(thing).values() if isinstance(each, np.ndarray)]
    return [each if each.base is None else each.base for each in arrays]


def won(key: GameKey) -> GameRecord:
    return GameRecord(
        key=key.digest,
        columns=key.opening,
        opening_plies=len(key.opening),
        charged_ns=(),
        nodes=(),
        winner=0,
        verdict=Verdict.LINE,
        reason="made a line",
    )


class Counted(Executor):
    """Hands batches on to another executor, and counts those that are out."""

    def __init__(self, executor: Executor, work: Callable[[Batch[GameKey]], object] | None) -> None:
        self._executor, self._work = executor, work
        self._out: set[Future[Any]] = set()
        self.most_out = self.longest = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (batch,) = args
        self.longest = max(self.longest, len(batch.items))
        future = self._executor.submit(self._work or fn, batch)
        self._out = {each for each in self._out if not each.done()} | {future}
        self.most_out = max(self.most_out, len(self._out))
        return future


def play(games: ScheduledGames, executor: Counted, stop: int) -> Iterator[tuple[int, int]]:
    """Play so many games at least, and yield how many keys and games are in memory now and then."""
    journal = Journal(Path(":memory:"))
    run = Run(games, journal, OnLanes(executor, LANES), 5)
    assert run.missing == len(games)
    played = 0
    for turn, records in enumerate(run):
        played += len(records)
        if turn % 20 == 1:
            yield alive(GameKey), alive(ScheduledGame)
        if played >= stop:
            break
    journal.close()


def test_of_many_games_those_under_way_are_in_memory() -> None:
    games = contest_of(strangers(20), 41)
    assert len(games) == 20 * 19 * 41
    before = alive(GameKey), alive(ScheduledGame)
    with ThreadPoolExecutor(LANES) as threads:
        executor = Counted(threads, lambda batch: [won(key) for key in batch.items[:60]])
        most = [max(each) for each in zip(*play(games, executor, 5_000), strict=True)]
    assert executor.most_out <= LANES and executor.longest == 2 * 41
    # those that came back are still at hand, and those of the batches after them
    assert most[0] - before[0] <= 2 * LANES * MAX_BATCH
    assert most[1] - before[1] <= 2 * LANES * MAX_BATCH


def test_a_game_that_waits_takes_sixty_bytes_of_the_main_process() -> None:
    games = contest_of(strangers(20), 41)
    run = Run(games, Journal(Path(":memory:")), OnLanes(ThreadPoolExecutor(LANES), LANES), 5)
    tally = Tally(games._contest, games)
    parts = (games.indexed, run._queue, run._ends, tally, tally._ends)
    of_each = {id(each): each.nbytes for part in parts for each in arrays_in(part)}
    assert 40 < sum(of_each.values()) / len(games) < 62


@pytest.mark.slow
def test_on_lanes_no_more_games_are_in_memory_than_are_played(tmp_path: Path) -> None:
    bots = {}
    for name, source in (("a", FIRST_FREE), ("b", LAST_FREE), ("c", f"{FIRST_FREE}# again\n")):
        (tmp_path / f"{name}.py").write_text(source)
        found = read_submission(tmp_path / f"{name}.py")
        found.copy_to(tmp_path / found.content_hash)
        bots[name] = Bot(
            content_hash=found.content_hash,
            root=str(tmp_path / found.content_hash),
            entry_point=found.entry_point,
        )
    games = contest_of(bots, 300)
    before = alive(GameKey), alive(ScheduledGame)
    with Lanes(available_cores()[:LANES]) as lanes:
        executor = Counted(lanes, None)
        most = [max(each) for each in zip(*play(games, executor, 600), strict=True)]
    # so that all lanes end together, if nothing is known of how long a game takes
    assert executor.most_out <= LANES and executor.longest == len(games) // (LANES * SHARES)
    assert most[0] - before[0] <= 2 * LANES * MAX_BATCH
    assert most[1] - before[1] <= 2 * LANES * MAX_BATCH


@pytest.mark.parametrize("error", [OSError("gone"), MemoryError()])
def test_an_executor_that_does_nothing_does_not_gather_the_contest(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.contest.driver.MOST_AGAIN", 50)
    taken = given_up = 0

    def batches() -> Iterator[Batch[int]]:
        nonlocal taken
        for start in range(0, 1_000, 10):
            taken += 10
            yield Batch(str(start), tuple(range(start, start + 10)))

    def fail(batch: Batch[int]) -> list[int]:
        raise type(error)(*error.args)  # the same one would gather all tracebacks

    with ThreadPoolExecutor(LANES) as threads:
        driver: Driver[int, int] = Driver(OnLanes(threads, LANES), fail)
        driver.add(batches())
        for ended in driver:
            given_up += len(ended.given_up)
            assert taken - given_up <= 50 + 10 * LANES
    assert given_up == 1_000


def test_batches_of_one_pairing_hold_every_game_once() -> None:
    games = contest_of(strangers(6), 7)
    seen: list[str] = []

    def work(batch: Batch[GameKey]) -> list[GameRecord]:
        assert len({frozenset((key.first.root, key.second.root)) for key in batch.items}) == 1
        seen.extend(key.digest for key in batch.items)
        return [won(key) for key in batch.items]

    with ThreadPoolExecutor(LANES) as threads:
        for _ in play(games, Counted(threads, work), len(games)):
            pass
    assert sorted(seen) == sorted(game.key.digest for game in games)
