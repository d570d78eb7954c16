"""A worker's part: it says how many lanes it offers, and does parcels on them."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from arena.cluster.lane import (
    LogRecord,
    WorkerLane,
    allow_children,
    claimed_core,
    claims_folder,
    open_parcel,
)
from arena.cluster.parcel import BotFiles, Parcel, Store
from arena.cluster.terms import Report, Software, Terms, layer_names
from arena.contest.lanes import available_cores
from arena.contest.machines import Machine
from arena.engine.ready import compile_engine
from arena.errors import CannotConfineError, OutOfMemoryError, StorageError
from arena.host.sandbox import layers
from arena.numbers import counted
from arena.referee.memory import free_bytes, oom_kills, room_in_memory, room_in_quota, room_in_tasks

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

    def __init__(self, terms: Terms) -> None:
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
