"""The workers of a cluster, as `arena doctor --cluster` shows them."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from arena.cluster import Place, Report, Software, Terms
from arena.cluster.connection import Cluster, dask_logs
from arena.cluster.start import examine, require_distributed
from arena.referee import Limits

if TYPE_CHECKING:
    from distributed import Client

ROUND_TRIPS = 5
"""Questions to a worker, by which its round trip is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFinding:
    """A worker of a cluster."""

    report: Report
    """Its offer."""

    round_trip_ms: float
    """Median time of a question to it by way of the scheduler, in milliseconds."""


def examine_workers(place: Place) -> list[WorkerFinding]:
    """Return every worker of a cluster. Raises InputError if it cannot be reached."""
    require_distributed()
    terms = Terms(software=Software.here(), memory_mb=Limits().memory_mb)
    with dask_logs(logging.getLogger("arena.cluster")):
        cluster = Cluster(place)
        try:
            with cluster.connect() as client:
                return [
                    WorkerFinding(report=each, round_trip_ms=_round_trip_ms(client, each.address))
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
