"""Lanes: processes that play games, one on each core, as a standard executor."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

from arena.common.errors import (
    InputError,
    OutOfMemoryError,
    StartError,
    StorageError,
    ZygoteDiedError,
)
from arena.common.text import one_line
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote, remove_dead_scratches
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.seats import Seats
from arena.game.verdict import Verdict
from arena.host.sandbox.confining import die_with_parent, hide_memory
from arena.intake.files import holds
from arena.machine.capacity import room_in_memory, room_in_quota, room_in_tasks
from arena.machine.facts import Machine
from arena.machine.proc import is_stopped
from arena.playing.driver import TICK_SECONDS, Batch, LaneExecutor
from arena.playing.log import Relay, about, set_place, this_machine, this_place

BATCH_SECONDS = 0.5  # Playing time after which a lane returns its finished games.
LOAD_SHARE = 10  # A batch plays at least this many times as long as its bots took to load.

# Least playing time per bot in a batch, because a process takes 15 ms to start and end.
PROCESS_SECONDS = 0.4

# If a lane's batches come back sooner, a second batch waits for the lane, to hide the delay between
# batches. Behind a long batch it would wait while other lanes are idle.
QUICK_SECONDS = 0.3
STOPPED_SECONDS = 60.0  # Seconds after which a stopped lane is killed.
SAY_SECONDS = 3.0  # Seconds after which a warning about a stopped lane is logged.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger("arena.lane")


def play_batch(batch: Batch[GameKey]) -> list[GameRecord]:
    """Play the games of a batch in order: at least one, until time is up.

    Runs in a process of the executor. Raises StorageError if a bot's files are missing or changed.
    """
    there = {bot.identity: bot for key in batch.items for bot in (key.first, key.second)}
    bots = {batch.names.get(identity, bot.content_hash): bot for identity, bot in there.items()}
    try:
        records = with_zygote(_play, batch)
    except InputError:
        require_files(bots)
        raise
    if any(record.verdict.is_fault for record in records):
        require_files(bots)
    return records


def with_zygote(
    function: Callable[Concatenate[Zygote, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a function with this process's zygote and the arguments; return its result.

    Raises ZygoteDiedError, and what the function raises.
    """
    zygote = _zygote()
    try:
        return function(zygote, *args, **kwargs)
    except ZygoteDiedError:
        _zygote.cache_clear()  # the next game gets a new zygote
        zygote.close()
        raise


def require_files(bots: Mapping[str, Bot]) -> None:
    """Raise StorageError if bots' files are missing or have changed.

    Then the bots are not to blame for what they lack. The keys of `bots` are names.
    """
    for name, bot in bots.items():
        root = Path(bot.root)
        if not holds(root, bot.content_hash):
            folder = quote(str(root.parent.parent))
            raise StorageError(
                f"{root}: the files of {one_line(name)} are missing or changed; to copy them from "
                f"the submissions, if those are unchanged: arena verify {folder} --repair"
            )


def _play(zygote: Zygote, batch: Batch[GameKey]) -> list[GameRecord]:
    records: list[GameRecord] = []
    started, keys, names = monotonic(), batch.items, batch.names
    with Seats(zygote, keys[0].limits, batch.new_process) as seats:
        loads: dict[BotPlayer, float] = {}
        for key in keys:
            first, second = seats.at(key.first, key.second)
            began = monotonic()
            bots = tuple(
                names.get(bot.identity, bot.content_hash) for bot in (key.first, key.second)
            )
            try:
                with about(key=key.digest, bots=bots):
                    record = play(key, first, second)
                    records.append(replace(record, place=this_place()))
                    if record.verdict.is_fault:
                        loser = "both bots" if record.loser is None else bots[record.loser]
                        log.info("%s lost by %s: %s", loser, record.verdict.name, record.reason)
            except OutOfMemoryError as error:
                raise OutOfMemoryError(str(error), error.record, records) from None
            except StartError:
                if not records:
                    raise
                break  # keep the finished games; the driver submits this game again
            now, verdict = monotonic(), records[-1].verdict
            if verdict is Verdict.TIMEOUT or (verdict.is_fault and now - began > BATCH_SECONDS):
                break  # report a hanging bot before it hangs again
            for player in (first, second):
                loads[player] = max(player.start_ns / 1e9, loads.get(player, 0.0))
            if now - started > enough_seconds(loads.values()):
                break
    return records


def enough_seconds(loads: Iterable[float]) -> float:
    """Return after how many seconds a batch starts no further game.

    `loads` are the seconds that its bots took to load.
    """
    return max(BATCH_SECONDS, sum(LOAD_SHARE * load + PROCESS_SECONDS for load in loads))


@cache
def _zygote() -> Zygote:
    return Zygote()


def _end_lane() -> None:
    if _zygote.cache_info().currsize:
        _zygote().close()


def kill_lane(pid: int | None) -> None:
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def stopped_for(seconds: float, pid: int | None) -> float:
    """Return `seconds` if a lane's process is stopped by a signal, else 0."""
    return seconds if pid is not None and is_stopped(pid) else 0.0


class _Lane:
    def __init__(self, core: int, bots: bool) -> None:
        self.core = core
        self.load = 0
        """Number of its batches."""
        self.is_quick = False
        """True if its last one was quick, so the next one should wait for it."""
        self.stopped_seconds = 0.0
        """Seconds for which it is stopped while the main process runs."""
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
        """Check whether the lane is stopped, `seconds` after the last check."""
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

    If a lane dies, only its running call fails, with BrokenProcessPool. Its waiting call is
    cancelled, and the lane is replaced.
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


def available_cores() -> list[int]:
    """Return the cores that this process may use, ascending."""
    return sorted(os.sched_getaffinity(0))


def plan_lanes(lanes: int | None, limits: Limits | None = None) -> tuple[list[int], list[str]]:
    """Return a core for each lane, and a sentence for each reason to use fewer cores.

    There are at most `lanes`, and no more than memory, threads and CPU quota allow with these
    limits. Raises InputError if `lanes` exceeds the cores.
    """
    cores = available_cores()
    if lanes is not None and lanes < 1:
        raise InputError(f"lanes = {lanes}: expected 1 or more")
    if lanes is not None and lanes > len(cores):
        raise InputError(f"lanes = {lanes}: expected at most {len(cores)}, one for each core")
    cores = cores[:lanes]
    remarks: list[str] = []
    if limits is None:
        return cores, remarks
    rooms = (
        (
            room_in_memory(limits.memory_mb),
            ", and games that do not fit into memory are not played",
        ),
        (room_in_tasks(), ", and a bot's thread may fail to start through no fault of its own"),
        (room_in_quota(), ", and games take longer, which no bot is charged for"),
    )
    for (room, plan), otherwise in rooms:
        if room < len(cores):
            remarks.append(f"{plan}: {max(1, room)} at a time{'' if room else otherwise}")
            cores = cores[: max(1, room)]
    return cores, remarks


def _start_lane(core: int, parent: int, bots: bool, relay: Relay | None = None) -> None:
    os.setsid()  # the main process handles a terminal's Ctrl-C
    for number in ENDING:  # and these signals
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    die_with_parent(parent)
    Finalize(None, _end_lane, exitpriority=0)
    hide_memory()
    os.sched_setaffinity(0, {core})
    set_place(core)
    if relay is not None:
        relay.send_here()
    gc.collect()
    gc.freeze()
    zygote = ""
    with suppress(ZygoteDiedError):  # the first game will try to start it again
        zygote = f", its zygote {_zygote().pid}" if bots else ""
    log.info("lane %d on core %d%s", os.getpid(), core, zygote)
