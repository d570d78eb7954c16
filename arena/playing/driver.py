"""Driving an executor: every batch is done once, whatever becomes of the process that did it.

Games, analyses and the trials before a contest are all done in this way. An item is given up only
when it has failed alone, several times; so one item that takes its process down costs no other
item anything. An exception that nobody foresaw is Arena's own fault: the item stays undone, and the
reason names the exception and its place.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from time import monotonic
from typing import Any, Generic, TypeVar

from arena.common.errors import (
    InputError,
    LostClusterError,
    OutOfMemoryError,
    StartError,
    StorageError,
    ZygoteDiedError,
    explained,
)
from arena.common.text import counted
from arena.machine.capacity import oom_kills
from arena.machine.facts import Machine
from arena.playing.log import about

TICK_SECONDS = 0.25
"""Seconds after which the driver gives word even if nothing has ended."""

ATTEMPTS = 3
"""Failures of a single item after which it is given up."""

MOST_AGAIN = 1_000
"""Failed items that wait for their next turn until all else is done; more do not wait so long."""

MEMORY_ATTEMPTS = 2
"""The same if memory runs out: that takes long, and the second time the item has all of it."""

LEAST_TAIL = 0.1
"""Seconds of the shortest tail that is told of."""

OUT_OF_MEMORY = "the machine ran out of memory"
NOT_STARTED = "the machine started no process for a bot"
LANE_LOST = "the process at work on it ended"
"""Reasons why items fail for no fault of a bot, as clauses."""

Item = TypeVar("Item")
Result = TypeVar("Result")

log = logging.getLogger("arena.contest")


class LaneExecutor(Executor):
    """An executor that knows how many batches it can do at a time, and on which machines.

    It cancels the future of a batch that waited for a lane and was not begun when that was lost.
    """

    @property
    @abstractmethod
    def lanes(self) -> int:
        """The number of batches that it does at a time, at least 1; it may change at any time."""

    @property
    def room(self) -> int:
        """The number of batches that it takes at a time: those of its lanes, and those that wait
        for one nearby where the way to a lane is long."""
        return self.lanes

    @property
    def manned(self) -> int:
        """The number of lanes that are there now: fewer than `lanes` where workers are gone."""
        return self.lanes

    @property
    def held_up(self) -> str:
        """Why some or all lanes stand still, and for how long they are waited for; else empty."""
        return ""

    def watch(self) -> None:
        """See whether lanes stand still. The driver calls it at least every TICK_SECONDS."""
        return

    @abstractmethod
    def machines(self) -> Sequence[Machine]:
        """Return the machines that its lanes are on."""


@dataclass(frozen=True, slots=True)
class Batch(Generic[Item]):
    """Items that one lane works through in order. It travels to other processes, or machines."""

    name: str
    """The batch's name in messages, such as its pairing."""

    items: tuple[Item, ...]
    """The items, at least one."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Names of the bots in it by their identities, see `Bot`; for the log."""

    failures: int = 0
    """Failures so far of this batch, if it is a single item."""

    afresh: frozenset[str] = frozenset()
    """Identities of bots that play each game in a new process."""


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

    Batches are taken when they can be submitted, and never before. `rests` may be changed between
    two steps of the iteration.
    """

    def __init__(
        self,
        executor: LaneExecutor,
        work: Callable[[Batch[Item]], Sequence[Result]],
        *,
        attempts: int = ATTEMPTS,
        is_wanted: Callable[[Item], bool] = lambda _: True,
        key_of: Callable[[Item], str | None] = lambda _: None,
        prepared: Callable[[Batch[Item]], Batch[Item]] = lambda batch: batch,
        settled: Callable[[OutOfMemoryError], Result | None] = lambda _: None,
    ) -> None:
        """`work` runs in a process of the executor's choice. It returns one result for each of the
        first items of its batch, for at least one; the others are submitted again. An item that
        `is_wanted` denies when its turn comes is dropped. `key_of` returns the digest of the game
        that an item is about, for the log. `prepared` returns a batch as it is submitted. When
        memory ran out for an item, `settled` returns its result if it is not done again.
        """
        self.rests: deque[Batch[Item]] = deque()
        """What is left of batches that came back early, to be submitted next."""
        self.tail_seconds = 0.0
        """Seconds at the end in which a lane had nothing to do; of several goes their sum."""
        self._short_since: float | None = None  # when a lane began to have nothing to do
        self._sources: list[Iterator[Batch[Item]]] = []
        self._again: deque[Batch[Item]] = deque()  # items that failed
        self._executor, self._work = executor, partial(_attempt, work)
        self._attempts, self._is_wanted, self._key_of = attempts, is_wanted, key_of
        self._prepared, self._settled = prepared, settled
        self._under_way: dict[Future[Sequence[Result]], UnderWay[Item]] = {}
        self._alone: deque[Batch[Item]] = deque()  # for which there was not memory enough
        self._warned: set[str] = set()
        self._oom_kills = oom_kills()
        self._take: Callable[[], Batch[Item] | None] = self._next
        self._room: Callable[[], int] = lambda: self._executor.room

    def add(self, batches: Iterable[Batch[Item]]) -> None:
        """Do these batches too, after those that were added before.

        They are taken one by one as they can be submitted. An iterator that ended is asked again.
        """
        self._sources.append(iter(batches))

    def __iter__(self) -> Iterator[Ended[Item, Result]]:
        """Work, and yield what has ended, at least every TICK_SECONDS.

        Stopping early loses only what is under way. Raises InputError, StorageError and
        LostClusterError from the executor: they say that nothing can be done there at all.
        """
        yield from self._drive()
        while self._alone:  # one at a time, an item has all the memory there is
            alone, self._alone = self._alone, deque()
            self._take, self._room = partial(next, iter(alone), None), lambda: 1
            yield from self._drive()
            self._take, self._room = self._next, lambda: self._executor.room
            yield from self._drive()

    def fill(self) -> None:
        """Submit what there is room for, so that lanes work while the caller does something else.

        The iteration does it too, with every step.
        """
        while len(self._under_way) < self._room() and (batch := self._take()) is not None:
            self._submit(batch)
        if len(self._under_way) >= self._executor.lanes:
            self._short_since = None
        elif self._short_since is None:
            self._short_since = monotonic()

    def under_way(self) -> list[UnderWay[Item]]:
        """Return the batches that lanes are at, in the order of the lanes."""
        lanes = self._executor.lanes
        oldest = sorted(self._under_way.values(), key=lambda each: each.since)
        oldest = oldest[: self._executor.manned]
        left = iter(sorted({*range(lanes)} - {each.lane for each in oldest}))
        placed = (each if each.lane < lanes else replace(each, lane=next(left)) for each in oldest)
        return sorted(placed, key=lambda each: each.lane)

    def _next(self) -> Batch[Item] | None:
        """Return the batch that comes next; None if all is done, or if others come first alone."""
        if len(self._alone) >= MOST_AGAIN:
            return None
        if self.rests:
            return self._rest()
        if len(self._again) < MOST_AGAIN:
            for source in self._sources:
                if (batch := next(source, None)) is not None:
                    return batch
        return self._again.popleft() if self._again else None

    def _rest(self) -> Batch[Item]:
        """Return what is left of a batch; half of that if a lane had nothing to do meanwhile."""
        batch = self.rests.popleft()
        half = len(batch.items) // 2
        if self._short_since is None or not half:
            return batch
        self.rests.appendleft(replace(batch, items=batch.items[half:]))
        return replace(batch, items=batch.items[:half])

    def _drive(self) -> Iterator[Ended[Item, Result]]:
        while True:
            self.fill()
            if not self._under_way:
                if self._short_since is not None:
                    self.tail_seconds += monotonic() - self._short_since
                self._short_since = None
                return
            done, _ = wait(self._under_way, TICK_SECONDS, FIRST_COMPLETED)
            self._executor.watch()
            ended: Ended[Item, Result] = Ended()
            for future in done:
                batch = self._under_way.pop(future).batch
                if future.cancelled():  # it was not begun
                    self.rests.append(batch)
                elif (error := future.exception()) is None:
                    self._ended(batch, future.result(), ended)
                elif isinstance(error, OutOfMemoryError) and (results := self._kept(error)):
                    self._ended(batch, results, ended)
                elif isinstance(error, InputError | StorageError | LostClusterError):
                    raise error
                else:
                    ended.given_up.extend(self._failed(batch, error))
            yield ended

    def _ended(
        self, batch: Batch[Item], results: Sequence[Result], ended: Ended[Item, Result]
    ) -> None:
        ended.results.extend(results)
        if rest := batch.items[len(results) :]:
            self.rests.appendleft(replace(batch, items=rest))

    def _kept(self, error: OutOfMemoryError) -> list[Any]:
        """Return the results of a batch until memory ran out for one of its items, and of that."""
        result = self._settled(error)
        return [*error.finished, *([] if result is None else [result])]

    def _submit(self, batch: Batch[Item]) -> None:
        if items := tuple(filter(self._is_wanted, batch.items)):
            batch = self._prepared(replace(batch, items=items))
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
        alone = len(batch.items) == 1
        key = self._key_of(batch.items[0]) if alone else None
        failures = batch.failures + 1 if alone else 0
        with about(key=key, bots=tuple(batch.names.values()) or None):
            log.log(level, "%s is tried again: %s", batch.name, why, exc_info=error)
            if failures >= (MEMORY_ATTEMPTS if why == OUT_OF_MEMORY else self._attempts):
                log.info("%s: given up: %s, each time", batch.name, why)
                return [(batch.items[0], why)]
        again = self._alone if why == OUT_OF_MEMORY else self._again
        again.extend(replace(batch, items=(item,), failures=failures) for item in batch.items)
        return []

    def _why(self, error: BaseException) -> str:
        """Return why a batch failed, for no fault of a bot, as a clause."""
        before, self._oom_kills = self._oom_kills, oom_kills()
        error = error if isinstance(error, BrokenExecutor) else explained(error)
        if isinstance(error, OutOfMemoryError) or self._oom_kills > before:
            return OUT_OF_MEMORY
        if isinstance(error, BrokenExecutor | ZygoteDiedError):
            return LANE_LOST
        return NOT_STARTED if isinstance(error, StartError) else str(error)


def _attempt(
    work: Callable[[Batch[Item]], Sequence[Result]], batch: Batch[Item]
) -> Sequence[Result]:
    """Do a batch; see `explained` for what it raises. Runs in a process of an executor's choice."""
    try:
        return work(batch)
    except Exception as error:
        raise explained(error) from error


def tail_told(seconds: float) -> str:
    """Return what to say of a tail; nothing if it was too short to be felt."""
    if seconds < LEAST_TAIL:
        return ""
    return f"the last {seconds:.1f} s had fewer games than lanes"


def given_up_lines(reasons: Iterable[str], done: str) -> list[str]:
    """Return a line for each of the reasons why games could not be `done`, with their number."""
    return [
        f"{counted(count, 'game')} could not be {done}: {why}, each time"
        for why, count in Counter(reasons).items()
    ]
