"""A worker's part: it says how many lanes it offers, and does parcels on them.

A lane on a worker: the same process as on one machine, made from within Dask's threads.

Workers on one machine share its cores: each is one worker's at a time.
"""

from __future__ import annotations

import asyncio
import fcntl
import multiprocessing
import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock, Timer
from time import sleep
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from arena.cluster.terms import BotFiles, ClusterTerms, Parcel, Report, Software, Store, layer_names
from arena.common.errors import CannotConfineError, OutOfMemoryError, StorageError
from arena.common.text import counted
from arena.engine.machine_code import compile_engine
from arena.game.bot_process import remove_dead_scratches
from arena.host.sandbox.confining import layers
from arena.machine.capacity import (
    free_bytes,
    oom_kills,
    room_in_memory,
    room_in_quota,
    room_in_tasks,
)
from arena.machine.facts import Machine
from arena.playing.lanes import (
    STOPPED_SECONDS,
    _start_lane,
    available_cores,
    kill_lane,
    stopped_for,
)
from arena.playing.log import captured

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


STORE = "arena-bots"
"""Name of the folder of bots in a worker's own folder."""


CLAIMS = "arena-places"
"""Name of the folder of claims in a worker's own folder, where it has lanes whatever its cores."""


@dataclass(frozen=True, slots=True)
class Done:
    """A parcel was done."""

    worker: str
    """Address of the worker."""

    result: Any
    """What the function returned."""

    records: list[LogRecord]
    """What was logged meanwhile."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """A parcel was not done, as the worker has not the files of all its bots."""

    worker: str
    """Address of the worker."""

    hashes: frozenset[str]
    """The content hashes of those bots."""


@dataclass(frozen=True, slots=True)
class Declined:
    """A parcel was not done, as the worker turned out to be unfit. It offers no lanes any more."""

    worker: str
    """Address of the worker."""

    why: str
    """The reason, a clause about the worker."""


def do(name: str, parcel: Parcel, files: Sequence[BotFiles] = ()) -> Done | Lacking | Declined:
    """Do a parcel on a lane of the worker that this runs on.

    `name` is that of the worker's LanePlugin; `files` are put in its store before.
    """
    plugin = get_worker().plugins[name]
    assert isinstance(plugin, LanePlugin)
    return plugin.do(parcel, files)


class LanePlugin(WorkerPlugin):
    """Makes lanes of a worker's threads. Dask gives it to every worker, to later ones as well."""

    idempotent = True

    def __init__(self, terms: ClusterTerms) -> None:
        self._terms = terms

    async def setup(self, worker: Worker) -> None:
        """Begin to find out how many lanes the worker can offer."""
        if worker.nanny:  # a terminal's Ctrl-C is the nanny's to handle, or the main process's
            with suppress(ValueError):
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._worker = worker
        self._store = Store(Path(worker.local_directory) / STORE)
        self._lanes: dict[int, WorkerLane] = {}
        self._lock = Lock()
        self._busy: dict[object, WorkerLane] = {}
        self._offering = asyncio.create_task(self._offer())

    async def teardown(self, worker: Worker) -> None:
        """End the lanes."""
        self._offering.cancel()
        for lane in list(self._lanes.values()):
            await asyncio.to_thread(lane.end)

    def transition(self, key: Any, start: Any, finish: Any, **_: Any) -> None:
        """End the lane whose work nobody wants any more."""
        if finish == "cancelled" and (lane := self._busy.get(key)) is not None:
            lane.end()

    def do(self, parcel: Parcel, files: Sequence[BotFiles]) -> Done | Lacking | Declined:
        """Do a parcel on a core that is free. Raises what the parcel's function raises."""
        address = self._worker.address
        try:
            self._store.add(files)
        except (OSError, StorageError) as error:
            return self._decline(f"cannot keep bots ({_said(error)})")
        with self._store.using(parcel.needs):
            if lacking := self._store.lacking(parcel.needs):
                return Lacking(address, lacking)
            roots = {each: self._store.root_of(each) for each in parcel.needs}
            try:
                result, records = self._on_a_lane(parcel, roots)
            except CannotConfineError as error:
                return self._decline(str(error))
            except StorageError:
                if lacking := self._store.lacking(parcel.needs):
                    return Lacking(address, lacking)
                raise
        return Done(address, result, records)

    def _on_a_lane(self, parcel: Parcel, roots: Mapping[str, str]) -> tuple[Any, list[LogRecord]]:
        warm = list(self._lanes)
        cores = [*warm, *(core for core in self._places() if core not in warm)]
        key = self._worker.get_current_task()
        kills = oom_kills()
        with claimed_core(self._claims(), cores) as core:
            with self._lock:
                lane = self._lanes.setdefault(core, WorkerLane(_core(core)))
            self._busy[key] = lane
            try:
                done: tuple[Any, list[LogRecord]] = lane.call(open_parcel, parcel, roots)
            except BrokenProcessPool:
                if oom_kills() > kills:
                    raise OutOfMemoryError("the machine ran out of memory") from None
                raise
            finally:
                del self._busy[key]
        return done

    def _places(self) -> Sequence[int]:
        """Return its cores, or as many numbers as the terms demand lanes; see `_core`."""
        places = self._terms.places
        return available_cores() if places is None else range(places)

    def _claims(self) -> Path:
        """Return the folder of claims: cores are shared with other workers, places are not."""
        if self._terms.places is None:
            return claims_folder()
        folder = Path(self._worker.local_directory) / CLAIMS
        folder.mkdir(exist_ok=True)
        return folder

    async def _offer(self) -> None:
        """Offer lanes, and say to the main process how many and on what machine."""
        allow_children()
        try:
            report = await asyncio.to_thread(self._examine)
        except Exception as error:  # a worker that cannot tell is one that offers nothing
            why = f"could not be examined ({_said(error)})"
            report = Report(address=self._worker.address, id=self._worker.id, why=why)
        await self._tell(report)

    def _decline(self, why: str) -> Declined:
        address = self._worker.address
        report = Report(address=address, id=self._worker.id, why=why)
        self._worker.loop.add_callback(self._tell, report)
        return Declined(address, why)

    async def _tell(self, report: Report) -> None:
        with suppress(OSError):  # the scheduler is gone, and the worker with it
            await self._worker.set_resources(**{self._terms.resource: report.lanes})
            self._worker.log_event(self._terms.name, report.as_plain)

    def _examine(self) -> Report:
        terms, threads = self._terms, self._worker.state.nthreads
        software, there = Software.here(terms.modules), layers()
        different = tuple(terms.software.differences(software))
        lanes, why = self._room()
        if different:
            lanes, why = 0, "; ".join(different)
        elif not there.enough:
            lanes, why = 0, "cannot confine bots (arena doctor there says more)"
        elif terms.engine:
            for _ in compile_engine():  # before a bot waits for it
                pass
        return Report(
            address=self._worker.address,
            id=self._worker.id,
            lanes=lanes,
            why=why,
            differences=different,
            threads=threads,
            host=socket.gethostname(),
            versions=dict(software.versions),
            machine=asdict(Machine.this(lanes)),
            free_mb=(free_bytes() or 0) >> 20,
            layers=layer_names(there),
        )

    def _room(self) -> tuple[int, str]:
        """Return the lanes that there is room for, and why they are fewer than threads."""
        terms, threads = self._terms, self._worker.state.nthreads
        if terms.places is not None:
            return terms.places, ""
        cores = len(available_cores())
        time = room_in_quota()
        room, plan = min(
            (cores, f"it has only {counted(cores, 'core')}"),
            room_in_memory(terms.memory_mb),
            room_in_tasks(),
            (max(1, time.games), time.plan),
        )
        return (threads, "") if room >= threads else (room, plan)


def _core(number: int) -> int:
    """Return the core of this number; where there are more lanes than cores, they share them."""
    cores = available_cores()
    return number if number in cores else cores[number % len(cores)]


def _said(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else str(error)
    return " ".join(f"{type(error).__name__}: {text}".split())
