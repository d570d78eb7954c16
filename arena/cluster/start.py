"""The start of a cluster, with all checks before a game; its workers' reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from arena.cluster.connection import DASK_ERRORS, Cluster, ClusterAddress, identity
from arena.cluster.executor import ClusterExecutor, offer
from arena.cluster.terms import ClusterTerms, Report, Software
from arena.common.errors import InputError
from arena.common.packages import DISTRIBUTION, arena_version
from arena.common.text import counted, one_line, quote
from arena.game.limits import Limits

if TYPE_CHECKING:
    from distributed import Client

WORKERS_SECONDS = 10  # Seconds to wait for a first worker.
REPORT_SECONDS = 60  # Seconds to wait for a worker's report.
COMPILING_SECONDS = 900  # The same, if the worker may have to compile the engine.


@contextmanager
def open_cluster(place: ClusterAddress, terms: ClusterTerms) -> Iterator[ClusterExecutor]:
    with (
        Cluster.open(place) as cluster,
        ClusterExecutor(cluster, terms, _examined(cluster, terms)) as executor,
    ):
        yield executor


def _examined(cluster: Cluster, terms: ClusterTerms) -> Client:
    name = cluster.place.words
    client = cluster.connect()
    try:
        _require_lanes(examine(client, terms, name), name)
    except BaseException as error:
        client.close(timeout=2)
        if isinstance(error, DASK_ERRORS):
            why = one_line(f"{type(error).__name__}: {error}")
            raise InputError(f"--cluster {name}: the cluster does not answer ({why})") from None
        raise
    return client


def examine(client: Client, terms: ClusterTerms, name: str) -> list[Report]:
    """Return the workers' reports, ordered by address. Raises InputError without any.

    If a worker lacks this version of Arena, the reports say only that.
    """
    addresses = _workers(client, name)
    found = client.run(version, DISTRIBUTION, workers=addresses, on_error="return")
    if different := {
        address: _of_version(there) for address, there in found.items() if there != arena_version()
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
                f"on every machine: dask worker {'' if '://' in name else '--scheduler-file '}"
                f"{quote(name)} --nthreads 1 --nworkers CORES"
            )
        sleep(0.1)
    return sorted(workers)


def _of_version(there: Any) -> str:
    if isinstance(there, str):
        return f"has Arena {there}, here it is {arena_version()}"
    if isinstance(there, PackageNotFoundError):
        return "has no Arena: install the same version there as here"
    if isinstance(there, BaseException):
        return f"does not answer ({type(there).__name__})"
    return "gives no valid answer"


def _require_lanes(reports: list[Report], name: str) -> None:
    different = [report for report in reports if report.differences]
    if different:
        first, *others = different
        more = f" (and {counted(len(others), 'other worker')} differ)" if others else ""
        raise InputError(f"--cluster {name}: {first} {'; '.join(first.differences)}{more}")
    if not any(report.lanes for report in reports):
        first = reports[0]
        raise InputError(f"--cluster {name}: no worker offers a lane: {first} {first.why}")


def examine_workers(place: ClusterAddress) -> list[Report]:
    terms = ClusterTerms(software=Software.here(), memory_mb=Limits().memory_mb)
    with Cluster.open(place) as cluster, cluster.connect() as client:
        return examine(client, terms, place.words)
