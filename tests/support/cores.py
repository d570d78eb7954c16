"""Cores of pytest's workers: contests on the same cores disturb one another.

A contest has a lane for each core that it may use. So beside other workers each has a single one,
which also starts fewer processes: that on which the least is going on when the contest begins.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

EVERY_CORE = frozenset(os.sched_getaffinity(0))
"""The cores that the tests may use."""


def share() -> frozenset[int]:
    """Return the cores for a contest that begins now."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return EVERY_CORE  # this is the only worker
    busy: Counter[int] = Counter()
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            busy[int(fields[36])] += fields[0] == "R"  # where it runs, or did last
    return frozenset({min(sorted(EVERY_CORE), key=lambda core: busy[core])})


@contextmanager
def on_cores(cores: frozenset[int]) -> Iterator[None]:
    """Let this process, and what is started in this block, use these cores alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def contested(cores: set[int], rivals: int) -> Iterator[None]:
    """Let `rivals` processes spin on these cores during this block."""
    spin = f"import os; os.sched_setaffinity(0, {cores})\nwhile True: pass"
    spinning = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(rivals)]
    try:
        while any(os.sched_getaffinity(rival.pid) != cores for rival in spinning):
            sleep(0.01)
        yield
    finally:
        for rival in spinning:
            rival.kill()
            rival.wait()
