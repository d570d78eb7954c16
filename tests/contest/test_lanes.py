"""Lanes: what becomes of a batch that waits for a lane, and of the one that the lane was at."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from support.bots import FIRST_FREE, LAST_FREE, MakeBot, key

from arena.contest import Lanes, available_cores
from arena.contest.driver import LANE_LOST, Batch, Driver
from arena.contest.lanes import _play
from arena.referee.zygote import Zygote


@pytest.fixture
def lanes() -> Iterator[Lanes]:
    with Lanes(available_cores()[:1], bots=False) as lanes:
        yield lanes


def slow(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def deadly(batch: Batch[str]) -> list[str]:
    """Take the process down once the next batch is sure to wait for it."""
    if "killer" in batch.items:
        time.sleep(0.1)
        os._exit(1)
    return list(batch.items)


def test_a_batch_waits_nearby_only_after_a_quick_one(lanes: Lanes) -> None:
    assert lanes.room == 1
    lanes.submit(slow, 0.0).result()  # starts it, which may take long
    lanes.submit(slow, 0.0).result()
    assert lanes.room == 2
    lanes.submit(slow, 0.35).result()
    assert lanes.room == 1


def test_what_waits_for_a_lane_that_dies_was_not_begun(lanes: Lanes) -> None:
    before = lanes.submit(slow, 0.0).result()
    dies, waits = lanes.submit(deadly, Batch("", ("killer",))), lanes.submit(slow, 0.0)
    assert dies.exception() is not None
    while not waits.done():
        time.sleep(0.001)
    assert waits.cancelled()
    assert lanes.submit(slow, 0.0).result() != before


def test_a_batch_that_kills_its_lane_costs_the_one_that_waits_no_attempt(lanes: Lanes) -> None:
    lanes.submit(slow, 0.0).result()
    driver: Driver[str, str] = Driver(lanes, deadly, attempts=1)
    driver.add([Batch("one", ("killer",)), Batch("two", ("innocent",)), Batch("three", ("other",))])
    ended = list(driver)
    assert [given_up for each in ended for given_up in each.given_up] == [("killer", LANE_LOST)]
    assert sorted(result for each in ended for result in each.results) == ["innocent", "other"]


@pytest.mark.slow
def test_a_fault_that_took_long_ends_its_batch(
    make_bot: MakeBot, zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.contest.lanes.BATCH_SECONDS", 2.0)  # more than a start ever takes
    slow = make_bot(f"import time\ntime.sleep(2.1)\n1 / 0\n{FIRST_FREE}")
    quick = make_bot(f"1 / 0\n{FIRST_FREE}")
    other = make_bot(LAST_FREE)
    for bot, played in ((slow, 1), (quick, 3)):
        keys = [key(bot, other, opening=(column,)) for column in range(3)]
        assert len(_play(zygote, Batch("", tuple(keys)))) == played
