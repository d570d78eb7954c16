"""Driving an executor: every batch is done once, whatever becomes of the process that did it.

Games, analyses and the trials before a contest are all done in this way. An item is given up only
when it has failed alone, several times; so one item that takes its process down costs no other
item anything.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace
from itertools import count
from time import monotonic
from typing import Generic, TypeVar

from arena.errors import InputError, OutOfMemoryError, StartError, StorageError
from arena.numbers import counted
from arena.referee.memory import oom_kills

TICK_SECONDS = 0.25
"""Seconds after which the driver gives word even if nothing has ended."""

ATTEMPTS = 3
"""Failures of a single item after which it is given up."""

MEMORY_ATTEMPTS = 2
"""The same if memory runs out: that takes long, and the second time the item has all of it."""

OUT_OF_MEMORY = "the machine ran out of memory"
NOT_STARTED = "the machine started no process for a bot"
LANE_LOST = "the process at work on it ended"
"""Reasons why items fail for no fault of a bot, as clauses."""

Item = TypeVar("Item")
Result = TypeVar("Result")

log = logging.getLogger("arena.contest")


@dataclass(frozen=True, slots=True)
class Batch(Generic[Item]):
    """Items that one lane works through in order. It travels to other processes, or machines."""

    name: str
    """The batch's name in messages, such as its pairing."""

    items: tuple[Item, ...]
    """The items, at least one."""

    failures: int = 0
    """Failures so far of this batch, if it is a single item."""


@dataclass(frozen=True, slots=True)
class Ended(Generic[Item, Result]):
    """Everything that ended since the driver last gave word."""

    results: list[Result] = field(default_factory=list)
    """Results, in no particular order."""

    given_up: list[tuple[Item, str]] = field(default_factory=list)
    """Items that failed every time, each with the reason as a clause."""


@dataclass(frozen=True, slots=True)
class UnderWay(Generic[Item]):
    """A batch that is being done."""

    lane: int
    """Its place among those that are done at the same time, from 0."""

    batch: Batch[Item]
    """The batch."""

    since: float
    """When it was submitted, by the monotonic clock."""

    @property
    def seconds(self) -> float:
        """For how long it has been under way."""
        return monotonic() - self.since


class Driver(Generic[Item, Result]):
    """Has batches done by an executor. Iterate over it until nothing is left to do.

    `waiting` may be changed between two steps of the iteration.
    """

    def __init__(
        self,
        executor: Executor,
        lanes: int,
        work: Callable[[Batch[Item]], Sequence[Result]],
        *,
        attempts: int = ATTEMPTS,
        is_wanted: Callable[[Item], bool] = lambda _: True,
    ) -> None:
        """`lanes` is how many batches the executor can do at a time.

        `work` runs in a process of the executor's choice. It returns one result for each of the
        first items of its batch, for at least one; the others are submitted again. An item that
        `is_wanted` denies when its turn comes is dropped.
        """
        self.waiting: deque[Batch[Item]] = deque()
        """Batches still to be submitted, the next one first."""
        self._executor, self._lanes, self._work = executor, lanes, work
        self._attempts, self._is_wanted = attempts, is_wanted
        self._under_way: dict[Future[Sequence[Result]], UnderWay[Item]] = {}
        self._alone: list[Batch[Item]] = []  # for which there was not memory enough
        self._warned: set[str] = set()
        self._oom_kills = oom_kills()

    def add(self, batches: Iterable[Batch[Item]]) -> None:
        """Put batches at the end of those that wait."""
        self.waiting.extend(batches)

    def __iter__(self) -> Iterator[Ended[Item, Result]]:
        """Work, and yield what has ended, at least every TICK_SECONDS.

        Stopping early loses only what is under way. Raises InputError and StorageError from the
        executor's processes: they say that nothing can be done there at all.
        """
        yield from self._drive(self._lanes)
        while self._alone:  # one at a time, an item has all the memory there is
            self.waiting.extend(self._alone)
            self._alone.clear()
            yield from self._drive(1)

    def under_way(self) -> list[UnderWay[Item]]:
        """Return the batches that are out, in the order of their lanes."""
        return sorted(self._under_way.values(), key=lambda each: each.lane)

    def _drive(self, lanes: int) -> Iterator[Ended[Item, Result]]:
        while self.waiting or self._under_way:
            while self.waiting and len(self._under_way) < lanes:
                self._submit(self.waiting.popleft())
            done, _ = wait(self._under_way, TICK_SECONDS, FIRST_COMPLETED)
            ended: Ended[Item, Result] = Ended()
            for future in done:
                batch = self._under_way.pop(future).batch
                if (error := future.exception()) is None:
                    results = future.result()
                    ended.results.extend(results)
                    if rest := batch.items[len(results) :]:
                        self.waiting.appendleft(replace(batch, items=rest))
                elif isinstance(error, InputError | StorageError):
                    raise error
                else:
                    ended.given_up.extend(self._failed(batch, error))
            yield ended

    def _submit(self, batch: Batch[Item]) -> None:
        if items := tuple(filter(self._is_wanted, batch.items)):
            batch = replace(batch, items=items)
            future = self._executor.submit(self._work, batch)
            taken = {each.lane for each in self._under_way.values()}
            lane = next(lane for lane in count() if lane not in taken)
            self._under_way[future] = UnderWay(lane, batch, monotonic())

    def _failed(self, batch: Batch[Item], error: BaseException) -> list[tuple[Item, str]]:
        """Have a batch done again, item by item, to find the one that makes it fail.

        Returns the item if it is given up, with the reason.
        """
        why = self._why(error)
        level = logging.INFO if why in self._warned else logging.WARNING
        self._warned.add(why)
        log.log(level, "%s is tried again: %s", batch.name, why, exc_info=error)
        failures = batch.failures + 1 if len(batch.items) == 1 else 0
        if failures >= (MEMORY_ATTEMPTS if why == OUT_OF_MEMORY else self._attempts):
            log.info("%s: given up: %s, each time", batch.name, why)
            return [(batch.items[0], why)]
        again = self._alone if why == OUT_OF_MEMORY else self.waiting
        again.extend(replace(batch, items=(item,), failures=failures) for item in batch.items)
        return []

    def _why(self, error: BaseException) -> str:
        """Return why a batch failed, for no fault of a bot, as a clause."""
        before, self._oom_kills = self._oom_kills, oom_kills()
        if isinstance(error, OutOfMemoryError) or self._oom_kills > before:
            return OUT_OF_MEMORY
        return NOT_STARTED if isinstance(error, StartError) else LANE_LOST


def given_up_lines(reasons: Iterable[str], done: str) -> list[str]:
    """Return a line for each of the reasons why games could not be `done`, with their number."""
    return [
        f"{counted(count, 'game')} could not be {done}: {why}, each time"
        for why, count in Counter(reasons).items()
    ]
