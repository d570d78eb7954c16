"""Cores of pytest's workers: each has a share, as contests on the same cores disturb one another.

A contest has a lane for each core that it may use, so one of a worker with a single core also
starts fewer processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

EVERY_CORE = frozenset(os.sched_getaffinity(0))
"""The cores that the tests may use."""


def take_share() -> None:
    """Let this worker, and all that it starts, use its share of the cores alone."""
    if (name := os.environ.get("PYTEST_XDIST_WORKER")) is None:
        return  # it is the only one
    number, workers = int(name.removeprefix("gw")), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    cores = sorted(EVERY_CORE)
    os.sched_setaffinity(0, cores[number % len(cores) :: workers])


@contextmanager
def every_core() -> Iterator[None]:
    """Let what is started in this block use every core, as a contest with several lanes needs."""
    share = os.sched_getaffinity(0)
    os.sched_setaffinity(0, EVERY_CORE)
    try:
        yield
    finally:
        os.sched_setaffinity(0, share)
