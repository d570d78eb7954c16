"""Time in which a core did nothing, or was a virtual machine's only by name, see proc_stat(5)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import perf_counter_ns

from arena.referee.proc import TICK_NS

STAT = Path("/proc/stat")

IDLE, STOLEN = slice(4, 6), 8
"""Fields of a core's line, its name being 0: ticks without work, those of waits for a disk among
them, and ticks that the hypervisor gave to others."""

RECENT_NS = 10 * TICK_NS
"""Age up to which a reading stands for the present: one takes as long as several quick moves."""


class Steal:
    """Stolen time of the cores that this process may use, which in a lane is one.

    Costs nothing on a machine that nothing was ever stolen from, and nothing worth mentioning in
    games of quick moves: readings younger than RECENT_NS are not repeated, so what was stolen that
    long before a turn may be forgiven in it. No bot can make the hypervisor steal.
    """

    def __init__(self) -> None:
        self._cores = {f"cpu{core}".encode() for core in os.sched_getaffinity(0)}
        self._read_at = perf_counter_ns()
        self._began = self._ticks()
        self._occurs = self._began > 0

    def begin(self) -> None:
        """Count from now on, or from up to RECENT_NS ago."""
        if self._occurs and (now := perf_counter_ns()) - self._read_at > RECENT_NS:
            self._began, self._read_at = self._ticks(), now

    def since(self) -> int:
        """Return the nanoseconds stolen since `begin`, rounded up; 0 if there was no whole tick."""
        ticks = self._ticks() - self._began if self._occurs else 0
        return (ticks + 1) * TICK_NS if ticks > 0 else 0

    def idle(self) -> int:
        """Return the nanoseconds for which the least idle of the cores ever had no work."""
        return min((sum(map(int, line[IDLE])) for line in self._lines()), default=0) * TICK_NS

    def _ticks(self) -> int:
        """Read the ticks that were ever stolen; 0 where the kernel does not count them."""
        return sum(int(line[STOLEN]) for line in self._lines() if line[STOLEN:])

    def _lines(self) -> list[list[bytes]]:
        """Return the fields of the cores' lines; none where the kernel has no such file."""
        with suppress(OSError):
            lines = STAT.read_bytes().partition(b"\nintr")[0].splitlines()
            return [line.split() for line in lines if line.partition(b" ")[0] in self._cores]
        return []
