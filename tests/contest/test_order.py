"""The queue of games: long games first, batches of suitable size, little memory."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.contest.index import GameIndex, ScheduledGames
from arena.contest.queue import MAX_BATCH, SHARES, TILE, TILE_SECONDS, Queue, of_bots, steps
from arena.contest.run import Run
from arena.game.limits import Limits
from arena.game.record import Bot, GameKey
from arena.journal.database import Journal
from arena.openings.pool import ALL
from arena.playing.driver import Batch, Driver
from arena.report.tally import Scoreboard
from arena.settings.contest import BotEntry, Contest, Schedule, ScheduledGame
from support.scripted import ended, games_between
from tests.support.on_lanes import OnLanes

NAMES = [f"bot{number}" for number in range(6)]
INDEX = GameIndex.of(games_between(*combinations(NAMES, 2)))


def batches(
    index: GameIndex, seconds: dict[str, float], last: Iterable[str] = ()
) -> list[list[int]]:
    """The numbers of the games in each batch, for two lanes."""
    queue = Queue(index, seconds, last=last)
    queue.put(np.arange(len(index.firsts), dtype=np.int32), 2)
    number = {game.key.digest: game.number for game in index.games}
    return [[number[key.digest] for key in batch.items] for batch in queue]


def numbers(seconds: dict[str, float]) -> list[int]:
    return [number for batch in batches(INDEX, seconds) for number in batch]


def test_games_that_take_twice_as_long_come_first_and_quick_ones_are_all_alike() -> None:
    seconds = np.array([0.001, 0.4, 7.0, 0.1, 20.0, 7.5, 0.0], np.float32)
    assert steps(seconds).tolist() == [0, 0, 4, 0, 6, 4, 0]


def test_a_bot_that_is_not_known_counts_as_the_median() -> None:
    assert of_bots(["a", "b", "c", "d"], {"a": 1.0, "b": 4.0, "c": 2.0}).tolist() == [1, 4, 2, 2]


def test_every_game_is_played_once_whatever_is_known() -> None:
    everything = sorted(game.number for game in INDEX.games)
    for seconds in ({}, {"bot3": 9.0}, dict.fromkeys(NAMES, 0.001), {"bot5": 30.0, "bot0": 0.01}):
        assert sorted(numbers(seconds)) == everything


def test_of_unknown_bots_a_batch_has_games_of_one_pairing() -> None:
    index = contest_of(strangers(6), 7).indexed
    found = batches(index, {})
    assert all(len({(number - 1) // 14 for number in batch}) == 1 for batch in found)
    assert sorted(number for batch in found for number in batch) == list(range(1, 15 * 14 + 1))


def times_of(index: GameIndex, seconds: dict[str, float]) -> dict[int, float]:
    return {game.number: sum(seconds[name] for name in game.names) for game in index.games}


@pytest.mark.parametrize("fastest", [0.5, 4.0])
def test_a_run_that_is_stopped_has_as_many_games_of_each_bot(fastest: float) -> None:
    index = contest_of(strangers(20), 4).indexed
    seconds = {name: fastest * 1.2**number for number, name in enumerate(index.names)}
    names = {game.number: game.names for game in index.games}
    times, played = times_of(index, seconds), []
    left = sum(times.values()) / 2
    for batch in batches(index, seconds):
        if (left := left - sum(map(times.__getitem__, batch))) < 0:
            break
        played += batch
    counts = Counter(name for number in played for name in names[number])
    assert min(counts.values()) > 0.5 * max(counts.values()) > 0
    assert len(counts) == 20


@pytest.mark.parametrize("seconds", [0.001, 0.1, 3.0, 40.0])
def test_a_batch_has_both_games_of_an_opening(seconds: float) -> None:
    index = contest_of(strangers(20), 4).indexed
    for batch in batches(index, dict.fromkeys(index.names, seconds)):
        sides = Counter((number - 1) // 2 for number in batch)
        assert set(sides.values()) == {2}


def test_where_an_opening_takes_hours_every_bot_soon_plays() -> None:
    index = contest_of(strangers(20), 2).indexed
    seconds = {name: 60.0 + 30 * number for number, name in enumerate(index.names)}
    names = {game.number: game.names for game in index.games}
    some = [number for batch in batches(index, seconds)[:40] for number in batch]
    assert {name for number in some for name in names[number]} == {*index.names}


@pytest.mark.parametrize("seconds", [0.01, 40.0])
def test_games_of_bots_that_are_not_ready_come_last_and_share_no_batch_with_others(
    seconds: float,
) -> None:
    of = {game.number: not {"bot1", "bot4"}.isdisjoint(game.names) for game in INDEX.games}
    found = batches(INDEX, dict.fromkeys(NAMES, seconds), ["bot1", "bot4"])
    kinds = [{of[number] for number in batch} for batch in found]
    assert all(len(each) == 1 for each in kinds)
    assert kinds == sorted(kinds, key=lambda each: True in each)
    assert sorted(number for batch in found for number in batch) == sorted(of)


def test_the_slow_bots_games_come_first_in_the_order_of_the_schedule() -> None:
    seconds = dict.fromkeys(NAMES, 0.01) | {"bot4": 8.0}
    order = numbers(seconds)
    slow = [game.number for game in INDEX.games if "bot4" in game.names]
    quick = [game.number for game in INDEX.games if "bot4" not in game.names]
    assert order[: len(slow)] == slow
    assert sorted(order[len(slow) :]) == quick
    assert numbers({}) == [game.number for game in INDEX.games]


@pytest.mark.parametrize(("seconds", "most"), [(0.002, 0.3), (0.02, 0.35), (0.3, 0.75)])
def test_a_batch_of_any_size_starts_few_bots(seconds: float, most: float) -> None:
    names = [f"bot{number:02}" for number in range(2 * TILE)]
    index = GameIndex.of(games_between(*combinations(names, 2)))
    bots_of = {game.number: {*game.names} for game in index.games}
    slow = {"bot03": 4.0} if seconds == 0.002 else {}
    played = batches(index, dict.fromkeys(names, seconds / 2) | slow)
    assert max(map(len, played)) <= TILE_SECONDS / seconds + 1
    players = [set[str]().union(*map(bots_of.__getitem__, batch)) for batch in played]
    assert all(len(bots) <= (2 if bots & slow.keys() else 2 * TILE) for bots in players)
    starts = sum(map(len, players))
    assert starts < most * len(index.games)


def test_batches_of_slow_bots_get_smaller_and_those_of_quick_ones_do_not() -> None:
    games = games_between(*[("slow", "other")] * 2 * MAX_BATCH)
    index = GameIndex.of([replace(game, pairing=1) for game in games])
    for seconds, least in ((10.0, 1), (0.0005, MAX_BATCH)):
        sizes = [len(batch) for batch in batches(index, {"slow": seconds, "other": 0.0})]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] == least
    unknown = [len(batch) for batch in batches(index, {})]
    assert unknown[0] == len(games) // (2 * SHARES)


LANES = 2


def contest_of(bots: dict[str, Bot], openings: int) -> ScheduledGames:
    limits = Limits(move_seconds=5.0, first_move_seconds=5.0)
    contest = Contest(
        bots={name: BotEntry() for name in bots},
        limits=limits,
        schedule=Schedule(seed=1, openings=openings, shared_openings=ALL),
    )
    drawn = [tuple(number // 6**place % 6 for place in range(4)) for number in range(openings)]
    return ScheduledGames(contest, bots, drawn)


def strangers(count: int) -> dict[str, Bot]:
    return {
        f"bot {number}": Bot(content_hash=str(number), root=str(number)) for number in range(count)
    }


def alive(kind: type) -> int:
    return sum(type(each) is kind for each in gc.get_objects())


def arrays_in(thing: object) -> list[NDArray[Any]]:
    arrays = [each for each in vars(thing).values() if isinstance(each, np.ndarray)]
    return [each if each.base is None else each.base for each in arrays]


class Counted(Executor):
    """Passes batches to another executor, and counts the unfinished."""

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
    """Play at least `stop` games; yield how many keys and games are in memory."""
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


def test_of_a_hundred_thousand_games_those_under_way_are_in_memory() -> None:
    games = contest_of(strangers(50), 41)
    assert len(games) == 50 * 49 * 41 > 100_000
    before = alive(GameKey), alive(ScheduledGame)
    with ThreadPoolExecutor(LANES) as threads:
        executor = Counted(threads, lambda batch: [ended(key) for key in batch.items[:60]])
        most = [max(each) for each in zip(*play(games, executor, 2_500), strict=True)]
    assert executor.most_out <= LANES and executor.longest == 2 * 41
    # those that came back are still at hand, and those of the batches after them
    assert most[0] - before[0] <= 2 * LANES * MAX_BATCH
    assert most[1] - before[1] <= 2 * LANES * MAX_BATCH


def test_a_game_that_waits_takes_sixty_five_bytes_of_the_main_process() -> None:
    games = contest_of(strangers(50), 41)
    run = Run(games, Journal(Path(":memory:")), OnLanes(ThreadPoolExecutor(LANES), LANES), 5)
    tally = Scoreboard(games._contest, games)
    parts = (games.indexed, run._queue, run._ends, tally, tally.ends)
    of_each = {id(each): each.nbytes for part in parts for each in arrays_in(part)}
    assert 40 < sum(of_each.values()) / len(games) < 66


@pytest.mark.parametrize("error", [OSError("gone"), MemoryError()])
def test_an_executor_that_does_nothing_does_not_gather_the_contest(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.playing.driver.MOST_AGAIN", 50)
    taken = abandoned = 0

    def batches() -> Iterator[Batch[int]]:
        nonlocal taken
        for start in range(0, 200, 10):
            taken += 10
            yield Batch(str(start), tuple(range(start, start + 10)))

    def fail(batch: Batch[int]) -> list[int]:
        raise type(error)(*error.args)  # another each time: a traceback grows with every raise

    with ThreadPoolExecutor(LANES) as threads:
        driver: Driver[int, int] = Driver(OnLanes(threads, LANES), fail)
        driver.add(batches())
        for ended in driver:
            abandoned += len(ended.abandoned)
            assert taken - abandoned <= 50 + 10 * LANES
    assert abandoned == 200
