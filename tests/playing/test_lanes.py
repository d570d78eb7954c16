"""Lanes: batches that wait for a lane, or run on it, when it dies."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from arena.common.system import available_cores
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.record import Bot
from arena.game.seats import Seats
from arena.machine.proc import children_of, is_stopped
from arena.playing.batches import _play, play_batch, with_starter
from arena.playing.driver import LANE_LOST, Batch, Driver
from arena.playing.lanes import Lanes
from arena.playing.log import captured
from support.bots import FIRST_FREE, LAST_FREE, MakeBot, key


@pytest.fixture
def lanes() -> Iterator[Lanes]:
    with Lanes(available_cores()[:1], bots=False) as lanes:
        yield lanes


def slow(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def failing(batch: Batch[str]) -> list[str]:
    raise KeyError(batch.name)


def stopping(batch: Batch[str]) -> list[str]:
    """Stop this process at the first try."""
    (path,) = batch.items
    if not os.path.exists(path):
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGSTOP)
    return list(batch.items)


def holders(zygote: Zygote, one: Bot, other: Bot) -> list[str]:
    """Play; return the pipes of this process that its zygote or a bot holds."""
    ours = {link for link in links("self") if link.startswith("pipe:")}
    assert len(ours) > 2
    with Seats(zygote, Limits()) as seats:
        players = seats.at(one, other)
        play(key(one, other), *players)
        pids = [zygote.pid, *children_of(zygote.pid)]
        assert len(pids) == 3
        return [link for pid in pids for link in links(str(pid)) if link in ours]


def resting(zygote: Zygote) -> dict[int, bool]:
    """Return for each bot of this lane whether it is stopped."""
    return {pid: is_stopped(pid) for pid in children_of(zygote.pid)}


def links(process: str) -> list[str]:
    folder = f"/proc/{process}/fd"
    found = []
    for fd in os.listdir(folder):
        with suppress(OSError):
            found.append(os.readlink(f"{folder}/{fd}"))
    return found


def deadly(batch: Batch[str]) -> list[str]:
    """Kill the process once the next batch certainly waits for it."""
    if "killer" in batch.items:
        time.sleep(0.1)
        os._exit(1)
    return list(batch.items)


def test_a_batch_waits_nearby_only_after_a_quick_one(
    lanes: Lanes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lanes.room == 1
    lanes.submit(slow, 0.0).result()  # starts it, which may take long
    with monkeypatch.context() as patch:
        patch.setattr("arena.playing.lanes.QUICK_SECONDS", 30.0)  # also on a busy machine
        lanes.submit(slow, 0.0).result()
    assert lanes.room == 2
    lanes.submit(slow, 0.35).result()
    assert lanes.room == 1


def test_a_batch_that_kills_its_lane_costs_the_one_that_waits_no_attempt(lanes: Lanes) -> None:
    lanes.submit(slow, 0.0).result()
    driver: Driver[str, str] = Driver(lanes, deadly, attempts=1)
    driver.add([Batch("one", ("killer",)), Batch("two", ("innocent",)), Batch("three", ("other",))])
    ended = list(driver)
    assert [abandoned for each in ended for abandoned in each.abandoned] == [("killer", LANE_LOST)]
    assert sorted(result for each in ended for result in each.results) == ["innocent", "other"]


def test_a_fault_of_arenas_own_on_a_lane_is_told_with_its_place(lanes: Lanes) -> None:
    driver: Driver[str, str] = Driver(lanes, failing, attempts=1)
    driver.add([Batch("ann – bob", ("a",))])
    with captured() as records:
        ended = list(driver)
    ((item, why),) = [abandoned for each in ended for abandoned in each.abandoned]
    assert item == "a"
    start = "Arena itself failed, please report it: KeyError: 'ann – bob' (arena/playing/driver.py:"
    assert why.startswith(start)
    (told,) = [each for each in records if each.levelname == "WARNING"]
    assert "test_lanes.py" in (told.exc_text or "")


@pytest.mark.slow
def test_a_lane_that_is_stopped_is_lost_in_the_end(
    lanes: Lanes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.playing.lanes.STOPPED_SECONDS", 1.0)
    monkeypatch.setattr("arena.playing.lanes.SAY_SECONDS", 0.3)
    driver: Driver[str, str] = Driver(lanes, stopping)
    path = str(tmp_path / "was stopped")
    driver.add([Batch("ann – bob", (path,))])
    with captured() as records:
        list(driver)
    core = available_cores()[0]
    told = [each.msg for each in records if "stopped" in each.msg]
    assert f"the lane on core {core} is stopped by a signal" in told[0]
    assert "was stopped for 1 s and is killed; its games are played again" in told[1]
    assert driver.running() == []


def test_the_time_in_which_all_were_stopped_together_does_not_count(
    lanes: Lanes, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = lanes.submit(slow, 0.0).result()
    future = lanes.submit(slow, 0.2)
    os.kill(pid, signal.SIGSTOP)
    try:
        clock = monotonic()
        for seconds in (1.0, 1_000.0, 1_001.0):  # as if this process had been stopped between
            monkeypatch.setattr("arena.playing.lanes.monotonic", lambda now=clock + seconds: now)
            lanes.watch()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert future.result() == pid


@pytest.mark.slow
def test_no_bot_holds_an_end_of_its_lanes_pipes(make_bot: MakeBot) -> None:
    with Lanes(available_cores()[:1]) as lanes:
        one, other = make_bot(FIRST_FREE), make_bot(LAST_FREE)
        assert lanes.submit(with_starter, holders, one, other).result() == []


@pytest.mark.slow
def test_a_fault_that_took_long_ends_its_batch(
    make_bot: MakeBot, zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.playing.batches.BATCH_SECONDS", 2.0)  # more than a start ever takes
    slow = make_bot(f"import time\ntime.sleep(2.1)\n1 / 0\n{FIRST_FREE}")
    quick = make_bot(f"1 / 0\n{FIRST_FREE}")
    other = make_bot(LAST_FREE)
    for bot, played in ((slow, 1), (quick, 3)):
        keys = [key(bot, other, opening=(column,)) for column in range(3)]
        assert len(_play(zygote, Batch("", tuple(keys)))) == played


def test_a_record_has_the_machine_and_core_of_its_lane(make_bot: MakeBot) -> None:
    core = available_cores()[0]
    keys = (key(make_bot(FIRST_FREE), make_bot(LAST_FREE)),)
    with Lanes([core]) as lanes:
        (record,) = lanes.submit(play_batch, Batch("", keys)).result()
    assert record.place == f"{os.uname().nodename.partition('.')[0]}/{core}"


def test_bots_rest_between_the_batches_of_a_lane(make_bot: MakeBot) -> None:
    one, other = make_bot(FIRST_FREE), make_bot(LAST_FREE)
    batch = Batch("", (key(one, other),))
    limits = replace(batch.items[0].limits, nodes=7)
    batches = (
        (batch, 2, True),
        (batch, 2, True),
        (replace(batch, new_process=frozenset({one.identity})), 1, True),
        (Batch("", (replace(batch.items[0], limits=limits),)), 2, False),
    )
    before: set[int] = set()
    with Lanes(available_cores()[:1]) as lanes:
        for each, number, stay in batches:
            lanes.submit(play_batch, each).result()
            found = lanes.submit(with_starter, resting).result()
            assert len(found) == number and all(found.values())
            assert not before or bool(before & found.keys()) is stay
            before = set(found)
    assert not any(Path(f"/proc/{pid}").exists() for pid in before)
