"""A driver for executors: every batch is done once, even if processes die.

An item is abandoned only after it failed several times alone, so an item that kills its process
costs the others nothing. An unexpected exception is Arena's fault: the item stays undone, and the
reason names the exception and the line that raised it.
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
from typing import Any, Generic, Literal, TypeVar

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

TICK_SECONDS = 0.25  # Longest time between two steps of the iteration.
ATTEMPTS = 3  # Failures after which a single item is abandoned.
MEMORY_ATTEMPTS = 2  # The same if memory ran out: each is slow, and the last is alone.
MOST_AGAIN = 1_000  # Failed items that wait until the end; with more, some run earlier.
OUT_OF_MEMORY = "the machine ran out of memory"
NOT_STARTED = "the machine started no process for a bot"
# A clause after `could not be played: `, like other reasons that are no bot's fault.
LANE_LOST = "the process that worked on it ended"
Item = TypeVar("Item")
Result = TypeVar("Result")
log = logging.getLogger("arena.contest")


class LaneExecutor(Executor):
    """An executor that knows its lanes; cancels batches that waited for a lost lane."""

    @property
    @abstractmethod
    def lanes(self) -> int:
        """How many batches can run at a time, at least 1; this may change."""

    @property
    def room(self) -> int:
        """Number of accepted batches, including those that wait near a distant lane."""
        return self.lanes

    @property
    def present_lanes(self) -> int:
        """Number of present lanes: fewer than `lanes` if workers are lost."""
        return self.lanes

    def watch(self) -> None:
        """Check for stopped lanes. Called at least every TICK_SECONDS."""
        return

    @abstractmethod
    def machines(self) -> Sequence[Machine]:
        """Return the machines of its lanes."""

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> Literal[False]:
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)
        return False


@dataclass(frozen=True, slots=True)
class Batch(Generic[Item]):
    """Items that one lane works through in order. A batch can be pickled."""

    name: str
    items: tuple[Item, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    failures: int = 0
    new_process: frozenset[str] = frozenset()
    """Identities of bots that get a new process for each game."""

    listens: bool = False
    """Whether what bots print in each move is kept, see `HeardRecord`."""


@dataclass(frozen=True, slots=True)
class Ended(Generic[Item, Result]):
    results: list[Result] = field(default_factory=list)
    abandoned: list[tuple[Item, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RunningBatch(Generic[Item]):
    lane: int
    batch: Batch[Item]
    since: float

    @property
    def seconds(self) -> float:
        return monotonic() - self.since


class Driver(Generic[Item, Result]):
    """Lets an executor do batches while you iterate.

    Batches are taken only when they can be submitted. `rests` may be changed between two steps.
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
        """Set up the driver; nothing runs before `fill` or the iteration.

        `work` runs on a lane and returns results for the first items of its batch, at least one;
        the others are submitted again, if `is_wanted`, in a batch that `prepared` may change.
        `key_of` returns the digest of an item's game for the log. After lack of memory, `settled`
        returns the item's result if it should not run again.
        """
        self.rests: deque[Batch[Item]] = deque()
        """Rests of batches that came back early; they are next."""
        self._is_short = False  # true while a lane is idle
        self._sources: list[Iterator[Batch[Item]]] = []
        self._again: deque[Batch[Item]] = deque()  # failed items
        self._executor, self._work = executor, partial(_attempt, work)
        self._attempts, self._is_wanted, self._key_of = attempts, is_wanted, key_of
        self._prepared, self._settled = prepared, settled
        self._running: dict[Future[Sequence[Result]], RunningBatch[Item]] = {}
        self._alone: deque[Batch[Item]] = deque()  # items that need all the memory
        self._warned: set[str] = set()
        self._oom_kills = oom_kills()
        self._take: Callable[[], Batch[Item] | None] = self._next
        self._room: Callable[[], int] = lambda: self._executor.room

    def add(self, batches: Iterable[Batch[Item]]) -> None:
        """Add batches, taken one by one; an exhausted iterator is tried again later."""
        self._sources.append(iter(batches))

    def __iter__(self) -> Iterator[Ended[Item, Result]]:
        """Do the batches, and yield what has ended, at least every TICK_SECONDS.

        Stopping early loses only running batches. Raises errors after which nothing can be done.
        """
        yield from self._drive()
        while self._alone:  # one at a time, with all the memory
            alone, self._alone = self._alone, deque()
            self._take, self._room = partial(next, iter(alone), None), lambda: 1
            yield from self._drive()
            self._take, self._room = self._next, lambda: self._executor.room
            yield from self._drive()

    def fill(self) -> None:
        while len(self._running) < self._room() and (batch := self._take()) is not None:
            self._submit(batch)
        self._is_short = len(self._running) < self._executor.lanes

    def running(self) -> list[RunningBatch[Item]]:
        lanes = self._executor.lanes
        oldest = sorted(self._running.values(), key=lambda each: each.since)
        oldest = oldest[: self._executor.present_lanes]
        left = iter(sorted({*range(lanes)} - {each.lane for each in oldest}))
        placed = (each if each.lane < lanes else replace(each, lane=next(left)) for each in oldest)
        return sorted(placed, key=lambda each: each.lane)

    def _next(self) -> Batch[Item] | None:
        """Return the next batch; None if there is none, or if items must run alone first."""
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
        batch = self.rests.popleft()
        half = len(batch.items) // 2
        if not (self._is_short and half):
            return batch
        self.rests.appendleft(replace(batch, items=batch.items[half:]))
        return replace(batch, items=batch.items[:half])

    def _drive(self) -> Iterator[Ended[Item, Result]]:
        while True:
            self.fill()
            if not self._running:
                return
            done, _ = wait(self._running, TICK_SECONDS, FIRST_COMPLETED)
            self._executor.watch()
            ended: Ended[Item, Result] = Ended()
            for future in done:
                batch = self._running.pop(future).batch
                if future.cancelled():  # the batch was not started
                    self.rests.append(batch)
                elif (error := future.exception()) is None:
                    self._ended(batch, future.result(), ended)
                elif isinstance(error, OutOfMemoryError) and (results := self._kept(error)):
                    self._ended(batch, results, ended)
                elif isinstance(error, InputError | StorageError | LostClusterError):
                    raise error
                else:
                    ended.abandoned.extend(self._failed(batch, error))
            yield ended

    def _ended(
        self, batch: Batch[Item], results: Sequence[Result], ended: Ended[Item, Result]
    ) -> None:
        ended.results.extend(results)
        if rest := batch.items[len(results) :]:
            self.rests.appendleft(replace(batch, items=rest))

    def _kept(self, error: OutOfMemoryError) -> list[Any]:
        result = self._settled(error)
        return [*error.finished, *([] if result is None else [result])]

    def _submit(self, batch: Batch[Item]) -> None:
        if items := tuple(filter(self._is_wanted, batch.items)):
            batch = self._prepared(replace(batch, items=items))
            future = self._executor.submit(self._work, batch)
            taken = {each.lane for each in self._running.values()}
            lane = next(lane for lane in count() if lane not in taken)
            self._running[future] = RunningBatch(lane, batch, monotonic())

    def _failed(self, batch: Batch[Item], error: BaseException) -> list[tuple[Item, str]]:
        """Schedule a failed batch's items one by one, or return [(abandoned item, why)]."""
        why = self._why(error)
        level = logging.INFO if why in self._warned else logging.WARNING
        self._warned.add(why)
        alone = len(batch.items) == 1
        key = self._key_of(batch.items[0]) if alone else None
        failures = batch.failures + 1 if alone else 0
        with about(key=key, bots=tuple(batch.names.values()) or None):
            log.log(level, "%s is tried again: %s", batch.name, why, exc_info=error)
            if failures >= (MEMORY_ATTEMPTS if why == OUT_OF_MEMORY else self._attempts):
                log.info("%s: abandoned: %s, each time", batch.name, why)
                return [(batch.items[0], why)]
        again = self._alone if why == OUT_OF_MEMORY else self._again
        again.extend(replace(batch, items=(item,), failures=failures) for item in batch.items)
        return []

    def _why(self, error: BaseException) -> str:
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
    try:
        return work(batch)
    except Exception as error:
        raise explained(error) from error


def abandoned_lines(reasons: Iterable[str], done: str) -> list[str]:
    return [
        f"{counted(count, 'game')} could not be {done}: {why}, each time"
        for why, count in Counter(reasons).items()
    ]
