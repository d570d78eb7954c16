"""Lanes: processes that play games, one on each core, as a standard executor."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.util import Finalize
from time import monotonic
from typing import Any

from arena.common.errors import ZygoteDiedError
from arena.common.system import ENDING
from arena.game.bot_process import remove_dead_scratches
from arena.host.sandbox.confining import die_with_parent, hide_memory
from arena.machine.facts import Machine
from arena.machine.proc import is_stopped
from arena.playing.batches import end_starter, own_starter
from arena.playing.driver import TICK_SECONDS, LaneExecutor
from arena.playing.log import Relay, about, set_place, this_machine

# If a lane's batches come back sooner, a second batch waits for the lane, to hide the delay between
# batches. Behind a long batch it would wait while other lanes are idle.
QUICK_SECONDS = 0.3
STOPPED_SECONDS = 60.0  # Seconds after which a stopped lane is killed.
SAY_SECONDS = 3.0  # Seconds after which a warning about a stopped lane is logged.
log = logging.getLogger("arena.lane")


def kill_lane(pid: int | None) -> None:
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def stopped_for(seconds: float, pid: int | None) -> float:
    return seconds if pid is not None and is_stopped(pid) else 0.0


class _Lane:
    def __init__(self, core: int, bots: bool) -> None:
        self.core = core
        self.load = 0
        self.is_quick = False
        """True if its last one was quick, so the next one should wait for it."""
        self.stopped_seconds = 0.0
        self._bots = bots
        self._pool: ProcessPoolExecutor | None = None
        self._relay: Relay | None = None
        self._is_lost = False
        self._since = 0.0

    @property
    def pid(self) -> int | None:
        return next(iter((self._pool and self._pool._processes) or ()), None)

    def kill(self) -> None:
        kill_lane(self.pid)

    def end(self, *, cancel_futures: bool = False) -> None:
        """Wait until the lane's process has ended and its log is complete."""
        # wait for the pool's thread: it could make Python's exit fail
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=cancel_futures)
        if self._relay is not None:
            self._relay.close()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self._pool is None:
            self._relay = Relay()
            self._pool = ProcessPoolExecutor(
                1,
                mp_context=multiprocessing.get_context("fork"),
                initializer=_start_lane,
                initargs=(self.core, os.getpid(), self._bots, self._relay),
            )
        try:
            inner = self._pool.submit(fn, *args, **kwargs)
        finally:
            if self._relay is not None:  # before another lane is forked, which would inherit it
                self._relay.fork_done()
        future: Future[Any] = Future()
        if not self.load:
            self._since = monotonic()
        self.load += 1
        inner.add_done_callback(lambda inner: self._ended(inner, future))
        return future

    def watch(self, seconds: float) -> None:
        before = self.stopped_seconds
        pid = self.pid if self.load else None
        self.stopped_seconds = stopped_for(before + seconds, pid)
        with about(lane=self.core, worker=this_machine()):
            if before <= SAY_SECONDS < self.stopped_seconds:
                log.warning(
                    "the lane on core %d is stopped by a signal; waiting %.0f s for it",
                    self.core,
                    STOPPED_SECONDS,
                )
            elif self.stopped_seconds > STOPPED_SECONDS >= before:
                log.warning(
                    "the lane on core %d was stopped for %.0f s and is killed; its games are "
                    "played again",
                    self.core,
                    STOPPED_SECONDS,
                )
                self.kill()

    def _ended(self, inner: Future[Any], future: Future[Any]) -> None:
        self.load -= 1
        now = monotonic()
        self.is_quick, self._since = now - self._since < QUICK_SECONDS, now
        if inner.cancelled():
            future.cancel()
            future.set_running_or_notify_cancel()
            return
        error = inner.exception()
        if isinstance(error, BrokenProcessPool):
            was_lost, self._is_lost = self._is_lost, True
            if was_lost:  # this call waited: the pool reports calls in order of submission
                future.cancel()
                future.set_running_or_notify_cancel()
                return
        if error is None:
            future.set_result(inner.result())
        else:
            future.set_exception(error)


class Lanes(LaneExecutor):
    """Referee processes, each pinned to its own core, with the bots of their games.

    If one dies, its running call fails with BrokenProcessPool; the waiting one is cancelled.
    """

    def __init__(self, cores: Sequence[int], *, bots: bool = True) -> None:
        """Without `bots`, lanes start without a zygote."""
        self._bots = bots
        self._watched_at = monotonic()
        self._lanes = [_Lane(core, bots) for core in cores]

    @property
    def lanes(self) -> int:
        return len(self._lanes)

    @property
    def room(self) -> int:
        """One batch for each lane, two if its batches are quick."""
        return sum(1 + lane.is_quick for lane in self._lanes)

    def machines(self) -> list[Machine]:
        return [Machine.this(self.lanes)]

    def watch(self) -> None:
        passed = monotonic() - self._watched_at
        if passed < TICK_SECONDS:
            return
        self._watched_at += passed
        for lane in self._lanes:
            # if more time has passed, this process was stopped too, maybe together with the lane
            lane.watch(min(passed, 2 * TICK_SECONDS))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        lane = min(self._lanes, key=lambda each: (each.load, not each.is_quick))
        # this may fork a lane, which must not be interrupted before it is set up
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            return lane.submit(fn, *args, **kwargs)
        except BrokenProcessPool:
            with about(lane=lane.core, worker=this_machine()):
                log.warning("lane on core %d died and was replaced", lane.core)
            lane.end()
            new = _Lane(lane.core, self._bots)
            self._lanes[self._lanes.index(lane)] = new
            return new.submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if not wait:
            for lane in self._lanes:
                lane.kill()
        for lane in self._lanes:
            lane.end(cancel_futures=cancel_futures)
        remove_dead_scratches()


def _start_lane(core: int, parent: int, bots: bool, relay: Relay | None = None) -> None:
    os.setsid()  # the main process handles a terminal's Ctrl-C
    for number in ENDING:  # and these signals
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    die_with_parent(parent)
    Finalize(None, end_starter, exitpriority=0)
    hide_memory()
    os.sched_setaffinity(0, {core})
    set_place(core)
    if relay is not None:
        relay.send_here()
    gc.freeze()
    zygote = ""
    with suppress(ZygoteDiedError):  # the first game will try to start it again
        zygote = f", its zygote {own_starter().pid}" if bots else ""
    log.info("lane %d on core %d%s", os.getpid(), core, zygote)
