"""A worker's part: it reports how many lanes it has, and runs parcels on them.

A lane is the same process as on one machine. Workers on one machine share its cores by claims, so
that each core has one lane at a time.
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
from logging import LogRecord
from pathlib import Path
from threading import Lock, Timer
from time import sleep
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from arena.cluster.terms import BotFiles, ClusterTerms, Parcel, Report, Software, Store, layer_names
from arena.common.errors import CannotConfineError, OutOfMemoryError, StorageError
from arena.common.system import available_cores
from arena.common.text import counted
from arena.engine.machine_code import compile_engine
from arena.game.bot_process import remove_dead_scratches
from arena.host.sandbox.confining import layers
from arena.machine import capacity
from arena.machine.facts import Machine
from arena.playing.lanes import STOPPED_SECONDS, _start_lane, kill_lane, stopped_for
from arena.playing.log import captured

IDLE_SECONDS = 60.0  # Seconds after which an idle lane ends.
LOOK_SECONDS = 1.0  # Seconds between two checks whether a lane is stopped.


class WorkerLane:
    def __init__(self, core: int) -> None:
        self._core = core
        self._pool: ProcessPoolExecutor | None = None
        self._timer: Timer | None = None
        self._lock = Lock()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        with self._lock:
            self._cancel_timer()
            if self._pool is None:
                self._pool = _pool(self._core)
            pool = self._pool
        try:
            return _result(pool, pool.submit(function, *arguments))
        except BaseException:
            # the next call starts a new lane, even if this lives
            self.end()
            raise
        finally:
            with self._lock:
                if self._pool is not None:
                    self._timer = Timer(IDLE_SECONDS, self.end)
                    self._timer.daemon = True
                    self._timer.start()

    def end(self) -> None:
        with self._lock:
            self._cancel_timer()
            pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(cancel_futures=True)
            remove_dead_scratches()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _result(pool: ProcessPoolExecutor, future: Future[Any]) -> Any:
    stopped = 0.0
    while not wait([future], LOOK_SECONDS).done:
        pid = next(iter(pool._processes or ()), None)
        stopped = stopped_for(stopped + LOOK_SECONDS, pid)
        if stopped > STOPPED_SECONDS:
            kill_lane(pid)
    return future.result()


def open_parcel(parcel: Parcel, roots: Mapping[str, str]) -> tuple[Any, list[LogRecord]]:
    function, argument = parcel.open(roots.__getitem__)
    with captured() as records:
        result = function(argument)
    return result, records


def _pool(core: int) -> ProcessPoolExecutor:
    """Return a pool with a new program for a lane: a fork would copy locks of Dask's threads."""
    return ProcessPoolExecutor(
        1,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_lane,
        initargs=(core, os.getpid(), True),
    )


WAIT_SECONDS = 0.02  # Seconds between two checks for a free core.


def claims_folder() -> Path:
    """Return this user's folder with a file per core. Raises OSError if not ours."""
    folder = Path(tempfile.gettempdir()) / f"arena-cores-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user")
    return folder


@contextmanager
def claimed_core(folder: Path, cores: Sequence[int]) -> Iterator[int]:
    """Wait for a free core, early ones first; claim it for the block. Raises OSError."""
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


STORE = "arena-bots"  # The store, in a worker's folder.
CLAIMS = "arena-places"  # The claims, in a worker's folder, if lanes do not depend on cores.


@dataclass(frozen=True, slots=True)
class Done:
    result: Any
    records: list[LogRecord]


@dataclass(frozen=True, slots=True)
class Lacking:
    hashes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Declined:
    """The answer of a worker that is unfit and offers no lanes any more."""

    why: str


def run_parcel(
    name: str, parcel: Parcel, files: Sequence[BotFiles] = ()
) -> Done | Lacking | Declined:
    """Run a parcel with its LanePlugin `name`; add `files` to the store first."""
    plugin = get_worker().plugins[name]
    assert isinstance(plugin, LanePlugin)
    return plugin.run(parcel, files)


class LanePlugin(WorkerPlugin):
    """Turns a worker's threads into lanes. Dask installs it on every worker."""

    idempotent = True

    def __init__(self, terms: ClusterTerms) -> None:
        self._terms = terms

    async def setup(self, worker: Worker) -> None:
        if worker.nanny:  # the nanny or the main process handles a terminal's Ctrl-C
            with suppress(ValueError):
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._worker = worker
        self._store = Store(Path(worker.local_directory) / STORE)
        self._lanes: dict[int, WorkerLane] = {}
        self._lock = Lock()
        self._busy: dict[object, WorkerLane] = {}
        self._offering = asyncio.create_task(self._offer())

    async def teardown(self, worker: Worker) -> None:
        self._offering.cancel()
        for lane in list(self._lanes.values()):
            await asyncio.to_thread(lane.end)

    def transition(self, key: Any, start: Any, finish: Any, **_: Any) -> None:
        if finish == "cancelled" and (lane := self._busy.get(key)) is not None:
            lane.end()

    def run(self, parcel: Parcel, files: Sequence[BotFiles]) -> Done | Lacking | Declined:
        """Run a parcel on a free core. Raises what the parcel's function raises."""
        try:
            self._store.add(files)
        except (OSError, StorageError) as error:
            return self._decline(f"cannot keep bots ({_error_text(error)})")
        if lacking := self._store.lacking(parcel.needs):
            return Lacking(lacking)
        try:
            return Done(*self._on_a_lane(parcel))
        except CannotConfineError as error:
            return self._decline(str(error))

    def _on_a_lane(self, parcel: Parcel) -> tuple[Any, list[LogRecord]]:
        roots = {each: self._store.root_of(each) for each in parcel.needs}
        warm = list(self._lanes)
        cores = [*warm, *(core for core in self._places() if core not in warm)]
        key = self._worker.get_current_task()
        kills = capacity.oom_kills()
        with claimed_core(self._claims(), cores) as core:
            with self._lock:
                lane = self._lanes.setdefault(core, WorkerLane(_core(core)))
            self._busy[key] = lane
            try:
                done: tuple[Any, list[LogRecord]] = lane.call(open_parcel, parcel, roots)
            except BrokenProcessPool:
                if capacity.oom_kills() > kills:
                    raise OutOfMemoryError("the machine ran out of memory") from None
                raise
            finally:
                del self._busy[key]
        return done

    def _places(self) -> Sequence[int]:
        places = self._terms.places
        return available_cores() if places is None else range(places)

    def _claims(self) -> Path:
        if self._terms.places is None:
            return claims_folder()
        folder = Path(self._worker.local_directory) / CLAIMS
        folder.mkdir(exist_ok=True)
        return folder

    async def _offer(self) -> None:
        # a nanny's worker is a daemon process, and these could not start lanes
        config = getattr(multiprocessing.current_process(), "_config", {})
        with suppress(TypeError):
            config["daemon"] = False
        try:
            report = await asyncio.to_thread(self._examine)
        except Exception as error:  # a worker that cannot be examined offers no lane
            why = f"could not be examined ({_error_text(error)})"
            report = Report(address=self._worker.address, id=self._worker.id, why=why)
        await self._tell(report)

    def _decline(self, why: str) -> Declined:
        report = Report(address=self._worker.address, id=self._worker.id, why=why)
        self._worker.loop.add_callback(self._tell, report)
        return Declined(why)

    async def _tell(self, report: Report) -> None:
        with suppress(OSError):  # if the scheduler has ended, the worker ends too
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
            for _ in compile_engine():  # now, not in a bot's time
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
            free_mb=(capacity.free_bytes() or 0) >> 20,
            layers=layer_names(there),
        )

    def _room(self) -> tuple[int, str]:
        terms, threads = self._terms, self._worker.state.nthreads
        if terms.places is not None:
            return terms.places, ""
        cores = len(available_cores())
        time = capacity.room_in_quota()
        room, plan = min(
            (cores, f"it has only {counted(cores, 'core')}"),
            capacity.room_in_memory(terms.memory_mb),
            capacity.room_in_tasks(),
            (max(1, time.games), time.plan),
        )
        return (threads, "") if room >= threads else (room, plan)


def _core(number: int) -> int:
    """Return a lane's core. If lanes outnumber cores, they share cores."""
    cores = available_cores()
    return number if number in cores else cores[number % len(cores)]


def _error_text(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else str(error)
    return " ".join(f"{type(error).__name__}: {text}".split())
