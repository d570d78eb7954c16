"""Lanes: the processes that play games, one a core, as a `concurrent.futures` executor."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.util import Finalize
from time import monotonic
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from arena.errors import OutOfMemoryError, StartError, ZygoteDiedError
from arena.host.sandbox import die_with_parent, hide_memory
from arena.referee import Bot, GameKey, GameRecord, play
from arena.referee.bot_player import BotPlayer
from arena.referee.zygote import Zygote, remove_dead_scratches

BATCH_SECONDS = 0.5
"""Playing time after which a lane hands back what it has finished, so that little can be lost."""

START_SHARE = 10
"""A batch goes on until it has played this many times as long as its bots took to start."""

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals by which people end a command."""

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("arena.lane")


@dataclass(frozen=True, slots=True)
class Batch:
    """Games of one pairing, to be played one after the other by one lane."""

    one: Bot
    """One bot of the pairing."""

    other: Bot
    """The other."""

    keys: tuple[GameKey, ...]
    """The games."""

    name: str = ""
    """What people call the pairing."""


def play_batch(batch: Batch) -> list[GameRecord]:
    """Play the games of a batch in order, at least one, until its time is up.

    Runs in whatever process an executor chooses. The caller submits what is left over again.
    """
    return with_zygote(_play, batch)


def with_zygote(
    function: Callable[Concatenate[Zygote, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a function with the zygote of the process that an executor chose, and these arguments.

    Raises ZygoteDiedError, and whatever the function raises.
    """
    zygote = _zygote()
    try:
        return function(zygote, *args, **kwargs)
    except ZygoteDiedError:
        _zygote.cache_clear()  # the next one starts with a new zygote
        zygote.close()
        raise


def _play(zygote: Zygote, batch: Batch) -> list[GameRecord]:
    records: list[GameRecord] = []
    limits = batch.keys[0].limits
    started = monotonic()
    with BotPlayer(zygote, batch.one, limits) as one, BotPlayer(zygote, batch.other, limits) as two:
        enough = 0.0
        for key in batch.keys:
            first, second = (one, two) if key.first == batch.one else (two, one)
            try:
                records.append(play(key, first, second))
            except (OutOfMemoryError, StartError):
                if not records:
                    raise
                break  # what is finished is kept, and the game fails again or does not
            elapsed = monotonic() - started
            enough = enough or max(BATCH_SECONDS, START_SHARE * (one.start_ns + two.start_ns) / 1e9)
            if elapsed > enough:
                break
    return records


@cache
def _zygote() -> Zygote:
    """The zygote of this process, started when it is first needed."""
    return Zygote()


def _end_lane() -> None:
    """Close the zygote that a lane has when it ends."""
    if _zygote.cache_info().currsize:
        _zygote().close()


class Lanes(Executor):
    """Referee processes, each pinned to a core of its own with the bots of its current game.

    A lane that dies takes down only what was submitted to it: those futures raise
    BrokenProcessPool, and the lane is replaced.
    """

    def __init__(self, cores: Sequence[int], *, bots: bool = True) -> None:
        """A lane on each of the cores; one on which no bots are to run starts without a zygote."""
        self._cores = list(cores)
        self._bots = bots
        self._pools = [_pool(core, bots) for core in self._cores]
        self._load = [0] * len(self._cores)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a function on the lane with the least to do."""
        index = self._load.index(min(self._load))
        # this may fork a lane, which is not to be interrupted before it is one
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            future = self._pools[index].submit(fn, *args, **kwargs)
        except BrokenProcessPool:
            log.warning("lane on core %d died and was replaced", self._cores[index])
            self._pools[index] = _pool(self._cores[index], self._bots)
            future = self._pools[index].submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._load[index] += 1

        def done(_: Future[Any]) -> None:
            self._load[index] -= 1

        future.add_done_callback(done)
        return future

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> Literal[False]:
        """End the lanes when their games have ended, or at once if something went wrong."""
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)
        return False

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the lanes; without `wait` at once, whatever they are playing."""
        for pool in self._pools:
            processes = list((pool._processes or {}).values()) if not wait else []
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)
            for process in processes:
                process.kill()
        remove_dead_scratches()


def available_cores() -> list[int]:
    """The cores this process may use."""
    return sorted(os.sched_getaffinity(0))


def _pool(core: int, bots: bool) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        1,
        mp_context=multiprocessing.get_context("fork"),
        initializer=_start_lane,
        initargs=(core, os.getpid(), bots),
    )


def _start_lane(core: int, parent: int, bots: bool) -> None:
    """Turn a fork of the main process into a lane."""
    os.setsid()  # a terminal's Ctrl-C is the main process's to handle
    for number in ENDING:  # so is what else stops it
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    die_with_parent(parent)
    Finalize(None, _end_lane, exitpriority=0)
    hide_memory()
    os.sched_setaffinity(0, {core})
    gc.collect()
    gc.freeze()
    zygote = ""
    with suppress(ZygoteDiedError):  # the first game will try again
        zygote = f", its zygote {_zygote().pid}" if bots else ""
    log.info("lane %d on core %d%s", os.getpid(), core, zygote)
