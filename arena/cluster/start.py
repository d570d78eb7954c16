"""The start of a cluster, with all checks before a game; its workers' reports."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import count
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import TYPE_CHECKING, Any

from arena.cluster.connection import DASK_ERRORS, Cluster, ClusterAddress, dask_logs, identity
from arena.cluster.executor import ClusterExecutor, offer
from arena.cluster.terms import ClusterTerms, Report, Software
from arena.common.errors import InputError
from arena.common.text import counted, one_line
from arena.game.limits import Limits

if TYPE_CHECKING:
    from distributed import Client

WORKERS_SECONDS = 10  # Seconds to wait for a first worker.
REPORT_SECONDS = 60  # Seconds to wait for a worker's report.
COMPILING_SECONDS = 900  # The same, if the worker may have to compile the engine.
EXAMINATIONS = 5  # Examinations of workers, if some are lost meanwhile.
log = logging.getLogger("arena.cluster")


def require_distributed(what: str = "--cluster") -> None:
    """Raise InputError if Dask's distributed, which `what` needs, is not installed."""
    if find_spec("distributed") is None:
        raise InputError(f"{what} needs Dask: pip install '.[cluster]' in Arena's clone")


@contextmanager
def open_cluster(place: ClusterAddress, terms: ClusterTerms) -> Iterator[ClusterExecutor]:
    """Yield an executor for a cluster's lanes. Raises InputError."""
    require_distributed()
    with dask_logs(log):
        cluster = Cluster(place)
        try:
            with ClusterExecutor(cluster, terms, _examined(cluster, terms)) as executor:
                yield executor
        finally:
            cluster.close()


def _examined(cluster: Cluster, terms: ClusterTerms) -> Client:
    name = cluster.place.words
    for attempt in count(1):
        client = cluster.connect()
        try:
            _require_lanes(examine(client, terms, name), name)
            return client
        except DASK_ERRORS as error:  # workers were lost during the examination
            client.close(timeout=2)
            if attempt == EXAMINATIONS:
                why = one_line(f"{type(error).__name__}: {error}")
                raise InputError(f"--cluster {name}: the cluster does not answer ({why})") from None
        except BaseException:
            client.close(timeout=2)
            raise
    raise AssertionError


def examine(client: Client, terms: ClusterTerms, name: str) -> list[Report]:
    """Return the workers' reports, ordered by address.

    If a worker lacks this version of Arena, the reports say only that. Raises InputError if there
    are no workers.
    """
    addresses = _workers(client, name)
    found = client.run(version, "arena", workers=addresses, on_error="return")
    if different := {
        address: _of_version(there) for address, there in found.items() if there != version("arena")
    }:
        other = "was not examined: another worker has another version of Arena"
        return [
            Report(address=each, why=different[each], differences=(different[each],))
            if each in different
            else Report(address=each, why=other)
            for each in addresses
        ]
    offer(client, terms)
    reports: dict[str, Report] = {}
    patience = COMPILING_SECONDS if terms.engine else REPORT_SECONDS
    give_up_at = monotonic() + patience
    while not reports.keys() >= set(addresses) and monotonic() < give_up_at:
        sleep(0.05)
        for _, plain in client.get_events(terms.name):
            report = Report.from_plain(plain)
            reports[report.address] = report
    silent = f"did not answer for {patience} seconds"
    return [reports.get(each) or Report(address=each, why=silent) for each in addresses]


def _workers(client: Client, name: str) -> list[str]:
    give_up_at = monotonic() + WORKERS_SECONDS
    while not (workers := identity(client)["workers"]):
        if monotonic() > give_up_at:
            raise InputError(
                f"--cluster {name}: the scheduler has no workers; to start one for each core, run "
                f"on every machine: dask worker {name} --nthreads 1 "
                "--nworkers CORES"
            )
        sleep(0.1)
    return sorted(workers)


def _of_version(there: Any) -> str:
    if isinstance(there, str):
        return f"has Arena {there}, here it is {version('arena')}"
    if isinstance(there, PackageNotFoundError):
        return "has no Arena: install the same version there as here"
    if isinstance(there, BaseException):
        return f"does not answer ({type(there).__name__})"
    return "gives no valid answer"


def _require_lanes(reports: list[Report], name: str) -> None:
    """Raise InputError if a worker's software differs or no worker offers a lane."""
    different = [report for report in reports if report.differences]
    if different:
        first, *others = different
        more = f" (and {counted(len(others), 'other worker')} differ)" if others else ""
        raise InputError(f"--cluster {name}: {first} {'; '.join(first.differences)}{more}")
    if not any(report.lanes for report in reports):
        first = reports[0]
        raise InputError(f"--cluster {name}: no worker offers a lane: {first} {first.why}")


ROUND_TRIPS = 5  # Calls that measure a worker's round trip.


def examine_workers(place: ClusterAddress) -> list[tuple[Report, float]]:
    """Return each worker's report, and its round trip through the scheduler in ms.

    Raises InputError if the cluster cannot be reached.
    """
    require_distributed()
    terms = ClusterTerms(software=Software.here(), memory_mb=Limits().memory_mb)
    with dask_logs(logging.getLogger("arena.cluster")):
        cluster = Cluster(place)
        try:
            with cluster.connect() as client:
                return [
                    (each, _round_trip_ms(client, each.address))
                    for each in examine(client, terms, place.words)
                ]
        finally:
            cluster.close()


def _round_trip_ms(client: Client, address: str) -> float:
    times = []
    for _ in range(ROUND_TRIPS):
        started = perf_counter()
        client.run(os.getpid, workers=[address])
        times.append((perf_counter() - started) * 1e3)
    return median(times)
