"""A lane on a worker: the same process as on one machine, made from within Dask's threads.

Workers on one machine share its cores: each is one worker's at a time.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Timer
from time import sleep
from typing import Any

from arena.cluster.parcel import Parcel
from arena.contest.lanes import STOPPED_SECONDS, _start_lane, kill_lane, stopped_for
from arena.contest.log import captured
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
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _result(pool: ProcessPoolExecutor, future: Future[Any]) -> Any:
    """Wait for a result; a lane that is stopped for too long is ended. Raises BrokenProcessPool."""
    stopped = 0.0
    while not wait([future], LOOK_SECONDS).done:
        pid = next(iter(pool._processes or ()), None)
        stopped = stopped_for(stopped + LOOK_SECONDS, pid)
        if stopped > STOPPED_SECONDS:
            kill_lane(pid)
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


WAIT_SECONDS = 0.02
"""Time between two looks for a core that is free."""


def claims_folder() -> Path:
    """Return the folder with a file for each core; every user has an own one.

    Raises OSError if it is somebody else's.
    """
    folder = Path(tempfile.gettempdir()) / f"arena-cores-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user")
    return folder


@contextmanager
def claimed_core(folder: Path, cores: Sequence[int]) -> Iterator[int]:
    """Wait until one of these cores is nobody's, the first ones first, and have it for the block.

    The kernel gives it back if this process ends. Raises OSError.
    """
    while True:
        for core in cores:
            descriptor = os.open(folder / str(core), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                continue
            try:
                yield core
            finally:
                os.close(descriptor)
            return
        sleep(WAIT_SECONDS)
