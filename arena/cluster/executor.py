"""A cluster as an executor: batches run on the lanes of many machines.

Only one thread, the keeper, talks to Dask. Other threads and Dask's callbacks put their calls into
its inbox, so no locks are needed.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any

from arena.cluster.connection import DASK_ERRORS, Cluster, identity
from arena.cluster.terms import BotFiles, ClusterTerms, Parcel, Report, pack
from arena.common.errors import InputError, LostClusterError, StorageError
from arena.common.text import counted, rough_duration
from arena.machine.facts import Machine
from arena.playing.driver import LaneExecutor
from arena.playing.log import about, log_again

if TYPE_CHECKING:
    from distributed import Client

LOOK_SECONDS = 1.0  # Seconds between two checks of the workers.
PATIENCE_SECONDS = 300.0  # Seconds without a lane or scheduler after which the run ends.
SAY_SECONDS = 10.0  # Seconds without a lane after which a warning is logged.

# If batches come back sooner, each lane has a second batch waiting on its worker, to hide the
# network's delay. Behind a long batch it would wait while other lanes are idle.
QUICK_SECONDS = 5.0
MOST_TRIES = 10  # How often a batch is sent again because a worker lacks files or declines.
MOST_LOSSES = 5  # A batch has failed when it has lost this many workers.
log = logging.getLogger("arena.cluster")


@dataclass(slots=True, eq=False)
class WorkOrder:
    parcel: Parcel
    roots: dict[str, str]
    future: Future[Any] = field(default_factory=Future)

    worker: str = ""
    worker_id: str = ""
    """The worker's id, because another worker may get the same address."""

    since: float = 0.0
    losses: int = 0
    tries: int = 0


class ClusterExecutor(LaneExecutor):
    """Runs batches on a cluster. It survives the loss of workers and scheduler."""

    def __init__(self, cluster: Cluster, terms: ClusterTerms, client: Client) -> None:
        """Start at once; `client` has already registered the plugin of `terms`."""
        self._cluster, self._terms = cluster, terms
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._waiting: deque[WorkOrder] = deque()
        self._sent: dict[WorkOrder, Any] = {}
        self._reports: dict[str, Report] = {}
        self._seen: set[str] = set()
        self._present: frozenset[str] = frozenset()
        self._client: Client | None = client
        self._executor = self._executor_of(client)
        self._scheduler = ""
        self._connection: Any = None
        self._refresh_at = 0.0
        self._seen_lanes = monotonic()
        self._has_warned = False
        self._per_lane = 1  # batches for each lane
        self._is_ending = False
        with suppress(*DASK_ERRORS):  # the keeper will try again
            self._refresh()
        self._keeper = Thread(target=self._run, name="arena cluster", daemon=True)
        self._keeper.start()

    @property
    def lanes(self) -> int:
        return max(1, self.present_lanes)

    @property
    def present_lanes(self) -> int:
        return sum(report.lanes for report in self.workers)

    @property
    def room(self) -> int:
        return self.lanes * self._per_lane

    def machines(self) -> list[Machine]:
        lanes: Counter[str] = Counter()
        found: dict[str, Report] = {}
        for report in self.workers:
            if report.lanes:
                lanes[report.host] += report.lanes
                found[report.host] = report
        return [
            Machine(**{**report.machine, "lanes": lanes[host]}) for host, report in found.items()
        ]

    def scheduler_seconds(self) -> float:
        assert self._client is not None
        return float(self._client.run_on_scheduler(thread_time))

    @property
    def workers(self) -> list[Report]:
        reports, there = self._reports, self._present
        return [reports[address] for address in sorted(there) if address in reports]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (argument,) = args
        order = WorkOrder(*pack(fn, argument))
        order.future.set_running_or_notify_cancel()
        self._inbox.put(lambda: self._waiting.append(order))
        return order.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if wait and not cancel_futures:
            for order in (*self._waiting, *self._sent):
                with suppress(Exception):
                    order.future.result()
        self._is_ending = True
        self._inbox.put(lambda: None)
        self._keeper.join()

    # the keeper's methods

    def _run(self) -> None:
        while not self._is_ending:
            try:
                with suppress(Empty):
                    self._inbox.get(timeout=LOOK_SECONDS / 4)()
                    while not self._inbox.empty():
                        self._inbox.get()()
                if monotonic() >= self._refresh_at:
                    self._refresh()
                self._send()
            except Exception as error:  # no error of Dask's may lose the batches
                log.info("the scheduler does not answer: %s: %s", type(error).__name__, error)
                self._refresh_at = monotonic() + LOOK_SECONDS
            self._check_patience()
        self._sent.clear()
        if self._client is not None:
            with suppress(Exception):
                self._executor.shutdown(wait=False)
            with suppress(Exception):
                self._client.close(timeout=2)

    def _refresh(self) -> None:
        self._refresh_at = monotonic() + LOOK_SECONDS
        if self._client is None or self._client.status != "running":
            self._present = frozenset()
            # while it is "connecting", Dask itself is trying
            if self._client is None or self._client.status != "connecting":
                self._client = None
                with suppress(InputError):
                    self._client = self._cluster.connect()
                    self._executor = self._executor_of(self._client)
            if self._client is None or self._client.status != "running":
                return
        if self._client.scheduler_comm is not self._connection:
            self._connection = self._client.scheduler_comm
            # after a broken connection Dask may never answer: it can fail to fetch a result without
            # an error, and a new scheduler does not know the orders
            for order, inner in self._sent.items():
                inner.cancel()
                self._requeue(order)
            self._sent.clear()
        info = identity(self._client)
        if info["id"] != self._scheduler:
            if self._scheduler:
                log.warning("another scheduler has replaced the lost one")
                offer(self._client, self._terms)
            self._scheduler = info["id"]
        there = frozenset(info["workers"])
        for address in self._present - there:
            report = self._reports.pop(address, Report(address=address))
            with about(worker=report.host or None):
                log.warning("%s has left", report)
        known = {report.id for report in self._reports.values()}
        for _, plain in self._client.get_events(self._terms.name):
            report = Report.from_plain(plain)
            if report.address in there and report.id not in self._seen:
                self._reports[report.address] = report
        for report in self._reports.values():
            if report.id not in known:
                self._log_report(report)
        self._seen.update(report.id for report in self._reports.values())
        self._present = there
        self._requeue_lost()

    def _requeue_lost(self) -> None:
        """Queue lost workers' orders again. Dask would give them to a new worker without lanes."""
        ids = {report.id for report in self._reports.values()}
        for order, inner in list(self._sent.items()):
            if order.worker_id in ids:
                continue
            del self._sent[order]
            inner.cancel()
            order.losses += 1
            if order.losses < MOST_LOSSES:
                self._requeue(order)
            else:
                order.future.set_exception(BrokenProcessPool(f"{order.losses} workers were lost"))

    def _log_report(self, report: Report) -> None:
        with about(worker=report.host or None):
            if report.lanes:
                why = f" ({report.why})" if report.why else ""
                log.info("%s offers %s%s", report, counted(report.lanes, "lane"), why)
            else:
                log.warning("%s offers no lane: %s", report, report.why)

    def _send(self) -> None:
        if not self._waiting or self._client is None or self._client.status != "running":
            return
        load = Counter(order.worker for order in self._sent)
        free = {
            each.address: each.lanes * self._per_lane - load[each.address] for each in self.workers
        }
        while self._waiting and free and max(free.values()) > 0:
            address = max(free, key=lambda each: free[each])
            free[address] -= 1
            self._give(self._waiting.popleft(), address)

    def _give(self, order: WorkOrder, address: str, files: Sequence[Any] = ()) -> None:
        from arena.cluster.worker import run_parcel

        order.worker, order.worker_id = address, self._reports[address].id
        order.since = monotonic()
        what = (run_parcel, self._terms.name, order.parcel, files)
        try:
            inner = self._executor.submit(*what, workers=[address])
        except BaseException:
            self._requeue(order)
            raise
        self._sent[order] = inner
        inner.add_done_callback(lambda inner: self._inbox.put(lambda: self._ended(order, inner)))

    def _ended(self, order: WorkOrder, inner: Future[Any]) -> None:
        if self._sent.get(order) is not inner:
            return
        del self._sent[order]
        if inner.cancelled():
            self._requeue(order)
        elif (error := inner.exception()) is not None:
            order.future.set_exception(error)
        else:
            self._per_lane = 2 if monotonic() - order.since < QUICK_SECONDS else 1
            self._take(order, inner.result())

    def _take(self, order: WorkOrder, answer: Any) -> None:
        from arena.cluster.worker import Declined, Done, Lacking

        match answer:
            case Done():
                log_again(answer.records)
                order.future.set_result(answer.result)
            case Lacking() if order.tries < MOST_TRIES:
                order.tries += 1
                if order.worker not in self._reports:
                    self._requeue(order)
                    return
                try:
                    files = [
                        BotFiles.read(each, Path(order.roots[each]))
                        for each in sorted(answer.hashes)
                    ]
                except StorageError as error:
                    order.future.set_exception(error)
                else:
                    self._give(order, order.worker, files)
            case Declined() if order.tries < MOST_TRIES:
                order.tries += 1
                if report := self._reports.pop(order.worker, None):
                    with about(worker=report.host or None):
                        log.warning("%s %s; it gets no more games", report, answer.why)
                self._requeue(order)
            case _:
                why = f"the workers cannot do it: {answer}"
                order.future.set_exception(LostClusterError(why))

    def _requeue(self, order: WorkOrder) -> None:
        order.worker = ""
        self._waiting.appendleft(order)

    def _check_patience(self) -> None:
        now = monotonic()
        if offered := self.present_lanes:
            if self._has_warned:
                log.warning("%s again", counted(offered, "lane"))
            self._seen_lanes, self._has_warned = now, False
            return
        gone = now - self._seen_lanes
        name = self._cluster.place.words
        if gone > SAY_SECONDS and not self._has_warned:
            self._has_warned = True
            log.warning(
                "%s has no available worker; waiting %s for one",
                name,
                rough_duration(PATIENCE_SECONDS),
            )
        if gone > PATIENCE_SECONDS:
            error = LostClusterError(
                f"{name} has had no available worker for {rough_duration(gone)}"
            )
            for order in (*self._waiting, *self._sent):
                order.future.set_exception(error)
            self._waiting.clear()
            self._sent.clear()

    def _executor_of(self, client: Client) -> Any:
        return client.get_executor(pure=False, retries=0, resources={self._terms.resource: 1})


def offer(client: Client, terms: ClusterTerms) -> None:
    from arena.cluster.worker import LanePlugin

    client.register_plugin(LanePlugin(terms), name=terms.name)
