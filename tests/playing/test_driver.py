"""The driver: which items are submitted again, done alone, or abandoned."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from arena.common.errors import OutOfMemoryError, StorageError
from arena.playing.driver import LANE_LOST, OUT_OF_MEMORY, Batch, Driver, abandoned_lines
from arena.playing.log import as_object, captured
from tests.support.on_lanes import OnLanes


class Scripted(Executor):
    """Does batches at once, or fails with the error for one of their items."""

    def __init__(self, **faults: Exception) -> None:
        self._faults = faults
        self.submitted: list[tuple[str, ...]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (batch,) = args
        self.submitted.append(batch.items)
        future: Future[Any] = Future()
        faults = [self._faults[item] for item in batch.items if item in self._faults]
        if faults:
            future.set_exception(faults[0])
        else:
            future.set_result(fn(batch))
        return future


def all_of(batch: Batch[str]) -> list[str]:
    return [item.upper() for item in batch.items]


def drive(driver: Driver[str, str], *batches: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return results and abandoned items of batches, each named by its items' letters."""
    driver.add(Batch(letters, tuple(letters)) for letters in batches)
    ended = list(driver)
    return (
        sorted(result for each in ended for result in each.results),
        [abandoned for each in ended for abandoned in each.abandoned],
    )


def test_the_rest_of_a_batch_is_submitted_next() -> None:
    executor = Scripted()
    driver = Driver(OnLanes(executor, 1), lambda batch: all_of(batch)[:2])
    assert drive(driver, "abcde", "fg") == (list("ABCDEFG"), [])
    assert executor.submitted == [tuple("abcde"), tuple("cde"), tuple("e"), tuple("fg")]


def test_an_item_that_takes_its_process_down_is_given_up_alone() -> None:
    executor = Scripted(b=BrokenProcessPool())
    driver = Driver(OnLanes(executor, 2), all_of)
    assert drive(driver, "abc", "de") == (list("ACDE"), [("b", LANE_LOST)])
    assert executor.submitted.count(("b",)) == 3
    assert driver.running() == []


class Pending(Executor):
    """Ends batches on demand."""

    def __init__(self) -> None:
        self.futures: dict[str, Future[Any]] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (batch,) = args
        self.futures[batch.name] = Future()
        return self.futures[batch.name]


@pytest.mark.parametrize(
    ("lanes", "room", "order", "lanes_seen"),
    [
        (3, 3, "bace", ["abc", "adc", "edc", "ed"]),
        (2, 4, "abcd", ["ab", "cb", "cd", "ed"]),  # batches that wait for a lane are not running
    ],
)
def test_a_batch_takes_the_lane_of_one_that_has_ended(
    monkeypatch: pytest.MonkeyPatch, lanes: int, room: int, order: str, lanes_seen: list[str]
) -> None:
    monkeypatch.setattr("arena.playing.driver.TICK_SECONDS", 0.0)
    executor = Pending()
    driver = Driver(OnLanes(executor, lanes, room=room), all_of)
    driver.add(Batch(letter, (letter,)) for letter in "abcde")
    steps = iter(driver)
    next(steps)
    seen = []
    for number, ends in enumerate(order):
        assert len(executor.futures) == min(5, room + number)
        seen.append([(each.lane, each.batch.name) for each in driver.running()])
        executor.futures[ends].set_result([ends])
        assert next(steps).results == [ends]
        next(steps)
    assert seen == [list(enumerate(names)) for names in lanes_seen]
    assert all(each.seconds > 0 for each in driver.running())


def test_without_memory_an_item_is_done_again_when_nothing_else_is() -> None:
    executor = Scripted(b=OutOfMemoryError("full"))
    assert drive(Driver(OnLanes(executor, 2), all_of), "ab", "cd", "ef") == (
        list("ACDEF"),
        [("b", OUT_OF_MEMORY)],
    )
    assert executor.submitted[:3] == [("a", "b"), ("c", "d"), ("e", "f")]
    assert sorted(executor.submitted[3:]) == [("a",), ("b",), ("b",)]


def test_an_item_that_is_no_longer_wanted_is_dropped_when_its_turn_comes() -> None:
    executor = Scripted()
    driver = Driver(OnLanes(executor, 1), all_of, is_wanted=lambda item: item not in "bc")
    assert drive(driver, "ab", "c", "d") == (list("AD"), [])
    assert executor.submitted == [("a",), ("d",)]


def test_what_no_process_can_do_ends_it_all() -> None:
    driver = Driver(OnLanes(Scripted(b=StorageError("the disk is full")), 1), all_of)
    with pytest.raises(StorageError, match="the disk is full"):
        drive(driver, "ab")


def test_what_was_given_up_is_counted_by_reason() -> None:
    assert abandoned_lines([LANE_LOST, OUT_OF_MEMORY, LANE_LOST], "played") == [
        f"2 games could not be played: {LANE_LOST}, each time",
        f"1 game could not be played: {OUT_OF_MEMORY}, each time",
    ]


def test_the_log_tells_whose_batch_failed_and_which_game() -> None:
    driver = Driver(
        OnLanes(Scripted(b=BrokenProcessPool("died")), 1),
        all_of,
        attempts=1,
        key_of="key of {}".format,
    )
    driver.add([Batch("ann – bob", tuple("ab"), {"id 1": "ann", "id 2": "bob"})])
    with captured() as records:
        list(driver)
    lines = [as_object(each) for each in records]
    assert [(each["key"], each["bots"], each["level"]) for each in lines] == [
        (None, ["ann", "bob"], "WARNING"),
        ("key of b", ["ann", "bob"], "INFO"),
        ("key of b", ["ann", "bob"], "INFO"),
    ]
    assert lines[0]["message"] == f"ann – bob is tried again: {LANE_LOST}"
    assert "BrokenProcessPool: died" in lines[0]["exception"]


def test_lanes_are_given_more_before_the_caller_goes_on() -> None:
    executor = Pending()
    driver = Driver(OnLanes(executor, 1), all_of)
    driver.add([Batch("a", ("a",)), Batch("b", ("b",))])
    driver.fill()
    executor.futures["a"].set_result(["a"])
    assert next(iter(driver)).results == ["a"]
    driver.fill()
    assert [each.batch.name for each in driver.running()] == ["b"]


def test_a_lane_with_nothing_to_do_takes_half_of_what_another_left() -> None:
    executor = Pending()
    driver = Driver(OnLanes(executor, 2), lambda batch: batch.items)
    driver.add([Batch("all", tuple("abcde"))])
    driver.fill()
    alone = executor.futures.pop("all")
    steps = iter(driver)
    alone.set_result(["A"])
    assert next(steps).results == ["A"]
    driver.fill()
    assert [each.batch.items for each in driver.running()] == [("b", "c"), ("d",)]
    assert [batch.items for batch in driver.rests] == [("e",)]
    executor.futures["all"].set_result(["D"])
