"""A bot's clock, read from outside its process.

Charged time is wall time less the time in which the bot was ready to run but had to wait for a
core, and never less than the CPU it used since its last answer, on its turn or off it. So a
busy machine costs a bot nothing, and neither sleeping nor thinking ahead gains it anything.
Of several threads the one that waited longest counts, as they wait for each other too; and
whatever a bot finds to wait for, a tenth of wall time is charged at least.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from time import clock_gettime_ns, perf_counter_ns

FRESH_NS = 1_000_000
"""Readings younger than this are not repeated: no move is misjudged by more."""

STALE_NS = 10_000_000
"""Age from which on the last reading of the waiting time is too old to be a starting point."""

LATE_NS = 10_000_000
"""Time between two looks after which what happened meanwhile is too much to judge by."""

PONDERING_NS = 5_000_000
"""CPU used between an answer and the next turn from which on a bot is thinking ahead."""


LEAST_SHARE = 10
"""One nanosecond in so many of wall time is charged in any case."""


ALONE = 3
"""Links of the folder of a process's threads that has one: two of its own, and one for each."""

PAGE = os.sysconf("SC_PAGESIZE")

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
REAPED = slice(13, 15)
"""Where /proc/PID/stat has, after the name, the ticks of CPU of children that were waited for."""

MOST_PROCESSES = 256
"""Of one program that are looked at; more than it can have."""


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
        self.stops = False
        """Whether it is to be stopped while it is not its turn."""
        self.unsettled = False
        """Whether the last charge may hold time in which the bot waited for a core."""
        self._cpu_seen = self._cpu_looked = self._cpu()
        self._cpu_read_at = self._moved_at = self._looked_at = perf_counter_ns()
        self.refresh()

    def refresh(self) -> int:
        """Look, before a turn, at what happened since the last; returns perf_counter_ns."""
        self._began = self._waits()
        self._waited: dict[str, int] = {}  # of threads that end meanwhile, too
        if self._cpu() - self._cpu_seen > PONDERING_NS:
            self.ponders = self.stops = True
        now = perf_counter_ns()
        self.stale_at = now + STALE_NS
        """From then on a turn should begin with a `refresh`."""
        return now

    def charged(self, asked_at: int) -> int:
        """Nanoseconds charged so far for a turn that began at `asked_at` and is not over.

        To be asked now and then: a bot that is waiting for a core at this moment has done so
        since it last moved on, which the kernel counts only once it has got one. Until then, and
        after a look that came late itself, the charge is `unsettled`.
        """
        now, cpu = perf_counter_ns(), self._cpu()
        moved, runnable = cpu > self._cpu_looked, self._is_runnable()
        if moved or not runnable:
            self._cpu_looked, self._moved_at = cpu, now
        charged = self._fair(now - asked_at, cpu, now - max(self._moved_at, asked_at))
        late = now - self._looked_at > LATE_NS
        self.unsettled = (
            (late or not moved) and runnable and charged > (now - asked_at) // LEAST_SHARE
        )
        self._looked_at = now
        return charged

    def charge(self, asked_at: int) -> int:
        """Nanoseconds charged for a turn that began at `asked_at` and ends now."""
        now = perf_counter_ns()
        if now - self._cpu_read_at < FRESH_NS:
            return now - asked_at
        cpu = self._cpu()
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
        return _resident(self._statm)

    def close(self) -> None:
        """Close the readings."""
        for fd in self._schedstats:
            os.close(fd)

    def _cpu(self) -> int:
        """CPU that the bot has used, in nanoseconds."""
        return clock_gettime_ns(self._cpu_clock)

    def _fair(self, wall: int, cpu_now: int, waiting: int = 0) -> int:
        cpu = cpu_now - self._cpu_seen
        if wall - cpu >= FRESH_NS:
            wall = max(wall - self._forgiven() - waiting, wall // LEAST_SHARE)
        return max(wall, cpu)

    def _is_runnable(self) -> bool:
        """Whether a thread of the bot has or wants a core."""
        return _any_runnable(self._tasks)

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
        waits.update(self._other_waits())
        return waits, sum(others) + clock_gettime_ns(self._zygote_clock)

    def _other_waits(self) -> Iterator[tuple[str, int]]:
        """Run-queue waits of the bot's threads besides the main one."""
        if self.has_threads():
            yield from _thread_waits(self._tasks)


class ProgramClock(BotClock):
    """The clock of a bot that runs programs: of its process and all that this started.

    They are one process group, which none can leave. Those that nobody waits for are the
    zygote's children, as the bot's process is. All are stopped between turns, so none is charged
    for what it was found to have done there.
    """

    def __init__(self, pid: int, zygote: int) -> None:
        """Open the readings of a process that is not reaped yet and of its zygote."""
        self._group, self._zygote = pid, zygote
        super().__init__(pid, zygote)
        self.stops = True

    def refresh(self) -> int:
        """Look, before a turn, at what happened since the last; returns perf_counter_ns."""
        now = super().refresh()
        self.ponders = False  # what it did until it was stopped, or had done for it
        return now

    def resident(self) -> int:
        """Bytes of memory of their own that all its processes have now."""
        return sum(_resident(f"/proc/{pid}/statm") for pid in self._processes())

    def _cpu(self) -> int:
        """CPU used by all its processes, and by those that were waited for."""
        cpu = 0
        for pid in self._processes():
            with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
                ticks = file.read().rpartition(b")")[2].split()[REAPED]
                cpu += clock_gettime_ns(_cpu_clock(pid)) + sum(map(int, ticks)) * TICK_NS
        return cpu

    def _other_waits(self) -> Iterator[tuple[str, int]]:
        """Run-queue waits of all threads of all its processes."""
        for pid in self._processes():
            yield from _thread_waits(f"/proc/{pid}/task")

    def _is_runnable(self) -> bool:
        """Whether a thread of any of its processes has or wants a core."""
        return any(_any_runnable(f"/proc/{pid}/task") for pid in self._processes())

    def _processes(self) -> list[int]:
        """The bot's process and those that it started, and those did, as far as they live."""
        found = [self._group]
        for child in _children(self._zygote):
            with suppress(OSError):
                if child != self._group and os.getpgid(child) == self._group:
                    found.append(child)
        pending = deque(found)
        while pending and len(found) < MOST_PROCESSES:
            children = _children(pending.popleft())
            found += children
            pending += children
        return found


def _children(pid: int) -> list[int]:
    """The processes whose parent is one of a process's threads; none if nobody can tell."""
    children: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                children += map(int, file.read().split())
    return children


def _thread_waits(tasks: str) -> Iterator[tuple[str, int]]:
    """(thread, its run-queue wait) of all threads in the folder of a process's."""
    with suppress(OSError):
        for thread in os.listdir(tasks):
            with suppress(OSError), open(f"{tasks}/{thread}/schedstat", "rb") as file:
                yield thread, _wait_in(file.read())


def _any_runnable(tasks: str) -> bool:
    """Whether a thread has or wants a core, of those in the folder of a process's."""
    with suppress(OSError):
        for thread in os.listdir(tasks):
            with suppress(OSError), open(f"{tasks}/{thread}/stat", "rb") as file:
                if file.read().rpartition(b") ")[2].startswith(b"R"):
                    return True
    return False


def _resident(statm: str) -> int:
    """Bytes of memory of its own that a process has, from that file of it; 0 once it has ended."""
    with suppress(OSError), open(statm, "rb") as file:
        _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * PAGE
    return 0


def _cpu_clock(pid: int) -> int:
    """CPUCLOCK_SCHED of a whole process, see clock_getres(2)."""
    return (~pid << 3) | 2


def _wait_in(schedstat: bytes) -> int:
    """The run-queue wait in nanoseconds: the second of three figures."""
    return int(schedstat.split()[1])
