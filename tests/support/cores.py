"""Cores of pytest's workers.

Contests on the same cores disturb each other, and start a lane for each core. So beside other
workers a contest gets one core, the least busy one.
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

from arena.common.system import available_cores

EVERY_CORE = frozenset(available_cores())


def share() -> frozenset[int]:
    """Return the cores for a new contest."""
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
    """Restrict this process and its new children to these cores."""
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
