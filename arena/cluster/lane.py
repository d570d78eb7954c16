"""A lane on a worker: the same process as on one machine, made from within Dask's threads."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import suppress
from threading import Lock, Timer
from typing import Any

from arena.cluster.parcel import Parcel
from arena.contest.lanes import STOPPED_SECONDS, _start_lane
from arena.contest.log import captured
from arena.referee.proc import is_stopped
from arena.referee.zygote import remove_dead_scratches

IDLE_SECONDS = 60.0
"""Time after which a lane that has nothing to do ends."""

LOOK_SECONDS = 1.0
"""Seconds between two looks whether a lane is stopped."""

LogRecord = dict[str, Any]
"""A record of the log, as plain values."""


class WorkerLane:
    """The lane of a worker on one core. It is started when it is needed."""

    def __init__(self, core: int) -> None:
        self._core = core
        self._pool: ProcessPoolExecutor | None = None
        self._timer: Timer | None = None
        self._lock = Lock()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function on the lane. Raises BrokenProcessPool if the lane dies."""
        with self._lock:
            self._let_be()
            if self._pool is None:
                self._pool = _pool(self._core)
            pool = self._pool
        try:
            return _result(pool, pool.submit(function, *arguments))
        except BaseException:
            # a lane that is dead is replaced; one that is not may as well be
            self.end()
            raise
        finally:
            with self._lock:
                if self._pool is not None:
                    self._timer = Timer(IDLE_SECONDS, self.end)
                    self._timer.daemon = True
                    self._timer.start()

    def end(self) -> None:
        """End the lane at once, whatever it is doing."""
        with self._lock:
            self._let_be()
            pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(cancel_futures=True)
            remove_dead_scratches()

    def _let_be(self) -> None:
        """Stop counting the time for which it has been idle."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _result(pool: ProcessPoolExecutor, future: Future[Any]) -> Any:
    """Wait for a result; a lane that is stopped for too long is ended. Raises BrokenProcessPool."""
    stopped = 0.0
    while not wait([future], LOOK_SECONDS).done:
        pids = list(pool._processes or ())
        stopped = stopped + LOOK_SECONDS if any(map(is_stopped, pids)) else 0.0
        if stopped > STOPPED_SECONDS:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    return future.result()


def open_parcel(parcel: Parcel, roots: Mapping[str, str]) -> tuple[Any, list[LogRecord]]:
    """Do what a parcel says, and return the result and what was logged. Runs on a lane."""
    function, argument = parcel.open(roots.__getitem__)
    with captured() as records:
        result = function(argument)
    return result, records


def allow_children() -> None:
    """Let this process have lanes: a nanny's worker is a daemon, which may have no children."""
    config = getattr(multiprocessing.current_process(), "_config", {})
    with suppress(TypeError):
        config["daemon"] = False


def _pool(core: int) -> ProcessPoolExecutor:
    """A process for a lane: a new program, as a fork would have the locks of Dask's threads."""
    return ProcessPoolExecutor(
        1,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_lane,
        initargs=(core, os.getpid(), True),
    )
