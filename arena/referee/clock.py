"""A bot's clock, read from outside its process.

Charged time is wall time less the time in which the bot was ready to run but had to wait for a
core, and never less than the CPU it used since its last answer, on its turn or off it. So a
busy machine costs a bot nothing, and neither sleeping nor thinking ahead gains it anything.
Of several threads the one that waited longest counts, as they wait for each other too; and
whatever a bot finds to wait for, a tenth of wall time is charged at least.
"""

from __future__ import annotations

import os
from contextlib import suppress
from time import clock_gettime_ns, perf_counter_ns

FRESH_NS = 1_000_000
"""Readings younger than this are not repeated: no move is misjudged by more."""

STALE_NS = 10_000_000
"""Age from which on the last reading of the waiting time is too old to be a starting point."""

PONDERING_NS = 5_000_000
"""CPU used between an answer and the next turn from which on a bot is thinking ahead."""


LEAST_SHARE = 10
"""One nanosecond in so many of wall time is charged in any case."""


ALONE = 3
"""Links of the folder of a process's threads that has one: two of its own, and one for each."""

PAGE = os.sysconf("SC_PAGESIZE")


class BotClock:
    """The clock of one process. Moves of microseconds cost it no system call."""

    def __init__(self, pid: int, zygote: int) -> None:
        """Open the readings of a process that is not reaped yet and of its zygote."""
        self._tasks, self._statm = f"/proc/{pid}/task", f"/proc/{pid}/statm"
        self._cpu_clock = _cpu_clock(pid)
        self._zygote_clock = _cpu_clock(zygote)
        self._main = str(pid)
        self._schedstats: list[int] = []
        with suppress(FileNotFoundError):  # a kernel without them: no waiting can be forgiven
            for who in (pid, zygote, "self"):
                path = f"/proc/{who}/schedstat"
                self._schedstats.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        self.ponders = False
        """Whether the bot has been caught using the CPU while it was not its turn."""
        self._cpu_seen = self._cpu_looked = clock_gettime_ns(self._cpu_clock)
        self._cpu_read_at = self._moved_at = perf_counter_ns()
        self.refresh()

    def refresh(self) -> int:
        """Look, before a turn, at what happened since the last; returns perf_counter_ns."""
        self._began = self._waits()
        self._waited: dict[str, int] = {}  # of threads that end meanwhile, too
        if clock_gettime_ns(self._cpu_clock) - self._cpu_seen > PONDERING_NS:
            self.ponders = True
        now = perf_counter_ns()
        self.stale_at = now + STALE_NS
        """From then on a turn should begin with a `refresh`."""
        return now

    def charged(self, asked_at: int) -> int:
        """Nanoseconds charged so far for a turn that began at `asked_at` and is not over.

        To be asked now and then: a bot that is waiting for a core at this moment has done so
        since it last moved on, which the kernel counts only once it has got one.
        """
        now, cpu = perf_counter_ns(), clock_gettime_ns(self._cpu_clock)
        if cpu > self._cpu_looked or not self._is_runnable():
            self._cpu_looked, self._moved_at = cpu, now
        return self._fair(now - asked_at, cpu, now - max(self._moved_at, asked_at))

    def charge(self, asked_at: int) -> int:
        """Nanoseconds charged for a turn that began at `asked_at` and ends now."""
        now = perf_counter_ns()
        if now - self._cpu_read_at < FRESH_NS:
            return now - asked_at
        cpu = clock_gettime_ns(self._cpu_clock)
        charged = self._fair(now - asked_at, cpu)
        self._cpu_seen, self._cpu_read_at = cpu, now
        return charged

    def has_threads(self) -> bool:
        """Whether there are threads in it besides the main one."""
        try:
            return os.stat(self._tasks).st_nlink > ALONE
        except OSError:
            return False  # it has ended

    def resident(self) -> int:
        """Bytes of memory of its own that the bot has now, by whatever way it came to them."""
        with suppress(OSError), open(self._statm, "rb") as file:
            _, resident, shared, *_ = map(int, file.read().split())
            return (resident - shared) * PAGE
        return 0

    def close(self) -> None:
        """Close the readings."""
        for fd in self._schedstats:
            os.close(fd)

    def _fair(self, wall: int, cpu_now: int, waiting: int = 0) -> int:
        cpu = cpu_now - self._cpu_seen
        if wall - cpu >= FRESH_NS:
            wall = max(wall - self._forgiven() - waiting, wall // LEAST_SHARE)
        return max(wall, cpu)

    def _is_runnable(self) -> bool:
        """Whether a thread of the bot has or wants a core."""
        with suppress(OSError):
            for thread in os.listdir(self._tasks):
                with suppress(OSError), open(f"{self._tasks}/{thread}/stat", "rb") as file:
                    if file.read().rpartition(b") ")[2].startswith(b"R"):
                        return True
        return False

    def _forgiven(self) -> int:
        """Nanoseconds since `refresh` that the bot waited, for a core, or for those it waits for:
        its zygote, which grants it files, and the referee, which reads its answer."""
        waits = self._waits()
        bot, others = self._began
        others = waits[1] - others
        for thread, wait in waits[0].items():
            self._waited[thread] = wait - bot.get(thread, 0)
        return others + max(self._waited.values(), default=0)

    def _waits(self) -> tuple[dict[str, int], int]:
        """(run-queue waits by thread of the bot, those of zygote and referee with the zygote's
        work), all in nanoseconds and since each began."""
        if not self._schedstats:
            return {}, 0
        main, *others = (_wait_in(os.pread(fd, 64, 0)) for fd in self._schedstats)
        waits = {self._main: main}
        if self.has_threads():
            with suppress(OSError):
                for thread in os.listdir(self._tasks):
                    path = f"{self._tasks}/{thread}/schedstat"
                    with suppress(OSError), open(path, "rb") as file:
                        waits[thread] = _wait_in(file.read())
        return waits, sum(others) + clock_gettime_ns(self._zygote_clock)


def _cpu_clock(pid: int) -> int:
    """CPUCLOCK_SCHED of a whole process, see clock_getres(2)."""
    return (~pid << 3) | 2


def _wait_in(schedstat: bytes) -> int:
    """The run-queue wait in nanoseconds: the second of three figures."""
    return int(schedstat.split()[1])
