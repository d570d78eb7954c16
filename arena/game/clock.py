"""A bot's clock, read from outside its process.

Charged time is what the bot computed and slept: wall time less the time in which it was ready to
run but had to wait for a core, and never less than the CPU it used since its last answer, on its
turn or off it. So a busy machine costs a bot nothing, and neither sleeping nor thinking ahead
gains it anything. What the zygote computes to grant or refuse a bot's threads and files is CPU of
that bot.

A bot must gain nothing by waits that it causes itself. Two figures of the kernel bound them:

- *One thread's wait*, less the CPU that the bot's other threads and its zygote used meanwhile. This
  much the thread waited for strangers, and for the referee's looks. It is always forgiven. But a
  program can make looks long: their CPU beyond a tenth of the wall time is not forgiven.
- *The waits of all threads*, the zygote's and the referee's, added up. Threads that share the
  interpreter's lock share the waiting, so one thread's wait is too little. But threads that wait
  at the same time, or for each other, count twice. So no more is forgiven of the sum than the time
  that others had of the core: the wall time less the bot's CPU and the time in which the core was
  idle. The latter is read at the first look of a turn and from then on.

Of the time that no single thread waited, a tenth is charged in any case (LEAST_SHARE). So a move
ends after ten times its limit, whatever else the clock says, the wait of one thread for strangers
and stops of the referee apart.

On a virtual machine a core can be taken away, too. That time is neither waiting nor CPU; it is not
charged as far as the kernel knows of it.

A referee can be stopped together with its bots, as when a cluster or a container is suspended. It
looks at a long turn again and again: what a look comes too late, less what the referee waited for
its core and computed, it was stopped, and that is not charged either. To look at a program of many
processes takes long, and is no stop.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from mmap import mmap
from time import clock_gettime_ns, perf_counter_ns
from typing import NamedTuple

from arena.host.protocol import SHARED
from arena.machine.proc import (
    REAPED,
    REAPED_FAULTS,
    TICK_NS,
    Steal,
    buffers,
    children_of,
    cpu_clock,
    held,
    ran_and_waited,
    resident,
    stat,
    states,
    thread_times,
)

FRESH_NS = 1_000_000
"""Readings younger than this are not repeated: no move is misjudged by more."""

STALE_NS = 10_000_000
"""Age from which on the last reading of the waiting time is too old to be a starting point."""

PONDERING_NS = 5_000_000
"""CPU used between an answer and the next turn from which on a bot is thinking ahead."""

NEVER_NS = 1 << 62
"""Longer than any turn."""

STOPPED_NS = 50_000_000
"""Time by which a look comes too late from which on the referee was stopped."""

LEAST_SHARE = 10
"""One nanosecond in so many of the wall time that no thread waited for is charged in any case."""

ALONE = 3
"""Links of the folder of a process's threads that has one: two of its own, and one for each."""

MOST_PROCESSES = 256
"""Of one program that are looked at; more than it can have."""

_Threads = dict[str, tuple[int, int]]
"""CPU and time on the run queue in nanoseconds, by the thread's id."""


class _ClockReading(NamedTuple):
    """The kernel's accounts at one moment, in nanoseconds and since each process began."""

    threads: _Threads
    """The threads of the bot."""

    ended: dict[str, int]
    """By process, a figure that grows when one of its threads or children ends."""

    zygote_wait: int
    """The zygote's time on the run queue: it grants the bot files."""

    referee_wait: int
    """The referee's time on the run queue: it reads the bot's answer."""

    referee_cpu: int = 0
    """CPU of the referee."""


class _Interval:
    """Wall time between two looks, at neither of which a thread of the bot wanted a core."""

    def __init__(self, reading: _ClockReading, cpu: int, began_at: int) -> None:
        """Begin with this reading, made when the bot had used that much CPU."""
        self.cpu, self.began_at = cpu, began_at
        self._began = reading
        self._referee = reading.referee_wait  # its wait since then may have kept an answer waiting
        self._unasked = 0  # its wait that may have kept the bot waiting for the question
        self._waited: dict[str, int] = {}  # of threads that end meanwhile, too
        self._longest = 0  # wait of one of them for strangers

    def waited(
        self, now: _ClockReading, cpu: int, idle: int, pending: int, runnable: int
    ) -> tuple[int, int]:
        """(nanoseconds that its threads waited in all, those that one waited for strangers).

        Of its time `idle` nanoseconds passed without CPU of the bot, which has used `cpu` by now.
        Each of the `runnable` threads may have waited `pending` more, uncounted by the kernel.
        """
        began = self._began
        ours = cpu - self.cpu
        wall = idle + ours
        ours += max(0, now.referee_cpu - began.referee_cpu - wall // LEAST_SHARE)
        for thread, (ran, wait) in now.threads.items():
            ran_before, before = began.threads.get(thread, (0, 0))
            self._waited[thread] = wait - before
            self._longest = max(self._longest, wait - before + ran - ran_before - ours)
        zygote = now.zygote_wait - began.zygote_wait
        referee = self._unasked + now.referee_wait - self._referee
        longest = max(self._longest, zygote - ours, referee - ours) + pending  # which comes after
        if any(mark > began.ended.get(who, 0) for who, mark in now.ended.items()):
            return idle, longest  # what those that ended had waited is lost
        waited = sum(self._waited.values()) + runnable * pending + zygote + referee
        return min(idle, waited), longest

    def waited_by_referee(self, now: _ClockReading) -> int:
        """Return the time that the referee has waited for its core since it looked last."""
        return now.referee_wait - self._referee

    def look_again(self, referee_wait: int, *, first: bool) -> None:
        """Forget the wait of the referee up to a moment at which there was no answer.

        At its first look of a turn it cannot tell how much of that came before it had asked.
        """
        if first:
            self._unasked = referee_wait - self._referee
        self._referee = referee_wait


class BotClock:
    """The clock of one process. Moves of microseconds cost it no system call."""

    def __init__(self, pid: int, zygote: int, shared: mmap) -> None:
        """Open the readings of a process that is not reaped yet and of its zygote.

        `shared` is what the zygote tells of the process: protocol.SHARED.
        """
        self._shared = shared
        self._tasks, self._statm = f"/proc/{pid}/task", f"/proc/{pid}/statm"
        self._cpu_clock = cpu_clock(pid)
        self._main = str(pid)
        self._granter = f"/proc/{zygote}/task"
        self._schedstats: list[int] = []
        with suppress(FileNotFoundError):  # a kernel without them: no waiting can be forgiven
            for who in (pid, zygote, "self"):
                path = f"/proc/{who}/schedstat"
                self._schedstats.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        self.ponders = False
        """True if the bot has been caught using the CPU while it was not its turn."""
        self.stops = False
        """True if it is to be stopped while it is not its turn."""
        self.look_ns = NEVER_NS
        """The longest time between two looks at a turn, by a referee that is not stopped."""
        self._steal = Steal()
        self._turn = 0  # the last that was looked at, by when it began
        self._stopped = 0  # for so long the referee was stopped in that turn
        self._idle: int | None = None  # time of the core at the first look of that turn
        self._cpu_seen = self._cpu_looked = self.used()
        self._cpu_read_at = self._waits_from = self._looked_at = perf_counter_ns()
        self._referee_cpu = 0  # when it began to look last
        self.refresh()

    def refresh(self) -> int:
        """Look, before a turn, at what happened since the last; returns perf_counter_ns."""
        cpu = self.used()
        reading = self._read(cpu)
        self._interval, self._referee_cpu = _Interval(reading, cpu, 0), reading.referee_cpu
        self._steal.begin()
        self._all_waits = self._longest = 0  # of the intervals of this turn that are over
        if cpu - self._cpu_seen > PONDERING_NS:
            self.ponders = self.stops = True
        now = perf_counter_ns()
        self.stale_at = now + STALE_NS
        """From then on a turn should begin with a `refresh`."""
        return now

    def referee_wait(self) -> int:
        """Return the time that the referee ever spent on the run queue, in nanoseconds."""
        return ran_and_waited(os.pread(self._schedstats[-1], 64, 0))[1] if self._schedstats else 0

    def charged(self, asked_at: int, referee_wait: int) -> int:
        """Return the least that may have to be charged for a turn that is not over, in nanoseconds.

        `referee_wait` was read before it was seen that there is no answer.
        To be asked now and then. A thread that waits for a core at this moment has done so for a
        time that the kernel counts only once it has got one: for as long as nobody has seen it run,
        and, if it ran since the last look, at most since that.
        """
        now, cpu = perf_counter_ns(), self.used()
        reading = self._read(cpu)
        runnable = self._runnable()
        if cpu > self._cpu_looked:
            self._cpu_looked, self._waits_from = cpu, self._looked_at
        if not runnable:
            self._waits_from = now
        is_first = asked_at != self._turn
        self._see_stops(now, asked_at, reading)
        if self._idle is None:
            self._idle = self._steal.idle()
        self._interval.look_again(referee_wait, first=is_first)
        pending = now - max(self._waits_from, asked_at)
        all_waits, longest = self._waited(reading, now, asked_at, cpu, pending, runnable)
        charged = self._fair(now - asked_at, cpu, all_waits, longest)
        at_once = perf_counter_ns() - now < FRESH_NS  # or they do not tell of one moment
        if not runnable and at_once:
            self._all_waits, self._longest = all_waits, longest
            self._interval = _Interval(reading, cpu, now)
        self._looked_at, self._referee_cpu = now, reading.referee_cpu
        self.stale_at = 0  # the next turn is not to begin with what is known of this
        return charged

    def charge(self, asked_at: int) -> int:
        """Nanoseconds charged for a turn that began at `asked_at` and ends now."""
        now = perf_counter_ns()
        if now - self._cpu_read_at < FRESH_NS:
            return now - asked_at
        cpu = self.used()
        charged = now - asked_at
        if charged - (cpu - self._cpu_seen) >= FRESH_NS:
            reading = self._read(cpu)
            self._see_stops(now, asked_at, reading)
            charged = self._fair(charged, cpu, *self._waited(reading, now, asked_at, cpu))
        charged = max(charged, cpu - self._cpu_seen)
        self._cpu_seen, self._cpu_read_at = cpu, now
        self._interval.cpu = cpu
        return charged

    def has_threads(self) -> bool:
        """Return True if there are threads in it besides the main one."""
        try:
            return os.stat(self._tasks).st_nlink > ALONE
        except OSError:
            return False  # it has ended

    def awake(self) -> int:
        """Number of its threads that run, or will without being woken."""
        return sum(state in b"RD" for state in self._states())

    def at_rest(self) -> bool:
        """Return True if all its threads are stopped or have ended."""
        return all(state in b"TtZX" for state in self._states())

    def memory(self) -> int:
        """Bytes of memory that the bot has now, with what the kernel may hold for it."""
        return resident(self._statm) + buffers(self._main)

    def holds_over(self, most: int) -> bool:
        """Return True if the bot has more bytes of memory now, however it came to them."""
        return self.memory() > most

    def close(self) -> None:
        """Close the readings."""
        for fd in self._schedstats:
            os.close(fd)

    def used(self) -> int:
        """CPU that the bot has used and its zygote has for it, in nanoseconds."""
        return clock_gettime_ns(self._cpu_clock) + self._zygotes()

    def _zygotes(self) -> int:
        """CPU that the zygote has used to grant or refuse what the bot asked for."""
        spent: int = SHARED.unpack_from(self._shared)[1]
        return spent

    def _see_stops(self, now: int, asked_at: int, reading: _ClockReading) -> None:
        """Note for how long the referee has been stopped since it looked last."""
        if asked_at != self._turn:
            self._turn, self._stopped, self._idle = asked_at, 0, None
        late = now - max(asked_at, self._looked_at) - self.look_ns
        late -= self._interval.waited_by_referee(reading)
        late -= reading.referee_cpu - self._referee_cpu
        if late > STOPPED_NS:
            self._stopped += late

    def _fair(self, wall: int, cpu_now: int, all_waits: int, longest: int) -> int:
        """Return the charge for a turn of that wall time."""
        wall = max(0, wall - self._stopped)
        cpu = cpu_now - self._cpu_seen
        least = max(cpu, (wall - longest) // LEAST_SHARE)
        if all_waits - longest >= FRESH_NS and self._idle is not None:
            idle = self._steal.idle() - self._idle - self._stopped - TICK_NS
            all_waits = min(all_waits, wall - idle - cpu)
        charged = wall - max(longest, all_waits)
        if charged - least >= FRESH_NS:
            charged -= self._steal.since()
        return max(charged, least)

    def _waited(
        self,
        reading: _ClockReading,
        now: int,
        asked_at: int,
        cpu: int,
        pending: int = 0,
        runnable: int = 0,
    ) -> tuple[int, int]:
        """(nanoseconds of the turn that all threads waited, those that single ones did)."""
        interval = self._interval
        wall = now - max(interval.began_at, asked_at)
        idle = max(0, wall - (cpu - interval.cpu))
        all_waits, longest = interval.waited(reading, cpu, idle, pending, runnable)
        return self._all_waits + all_waits, self._longest + min(longest, wall)

    def _runnable(self) -> int:
        """Number of the threads that have or want a core, of the bot and of its zygote."""
        everybody = chain(self._states(), states(self._granter))
        return sum(state == b"R" for state in everybody)

    def _states(self) -> Iterator[bytes]:
        """Yield the state of each thread of the bot, one letter."""
        return states(self._tasks)

    def _read(self, cpu: int) -> _ClockReading:
        """Read everything that the kernel has counted by now; `cpu` was read just before."""
        if not self._schedstats:
            return _ClockReading({}, {}, 0, 0)
        main, zygote, referee = (ran_and_waited(os.pread(fd, 64, 0)) for fd in self._schedstats)
        threads, ended = self._threads(cpu, main)
        return _ClockReading(threads, ended, zygote[1], referee[1], referee[0])

    def _threads(self, cpu: int, main: tuple[int, int]) -> tuple[_Threads, dict[str, int]]:
        """`threads` and `ended` of a reading: CPU of no thread is of those that ended."""
        threads = {self._main: main}
        if self.has_threads():
            threads.update(thread_times(self._tasks))
        return threads, {self._main: cpu - self._zygotes() - _ran(threads)}


class ProgramClock(BotClock):
    """The clock of a bot that runs programs: of its process and all that this started.

    They are one process group, which none can leave. Those that nobody waits for are the
    zygote's children, as the bot's process is. All are stopped between turns, so none is charged
    for what it was found to have done there.
    """

    def __init__(self, pid: int, zygote: int, shared: mmap) -> None:
        """Open the readings of a process that is not reaped yet and of its zygote."""
        self._group, self._zygote = pid, zygote
        super().__init__(pid, zygote, shared)
        self.stops = True

    def refresh(self) -> int:
        """Look, before a turn, at what happened since the last; returns perf_counter_ns."""
        now = super().refresh()
        self.ponders = False  # what it did until it was stopped, or had done for it
        return now

    def holds_over(self, most: int) -> bool:
        """Return True if all its processes have more bytes now, the kernel's for them included."""
        return held(self._processes(), most) > most

    def used(self) -> int:
        """CPU used by all its processes, those that were waited for, and the zygote for them."""
        cpu = self._zygotes()
        for pid in self._processes():
            with suppress(OSError):
                ticks = stat(pid)[REAPED]
                cpu += clock_gettime_ns(cpu_clock(pid)) + sum(map(int, ticks)) * TICK_NS
        return cpu

    def _threads(self, cpu: int, main: tuple[int, int]) -> tuple[_Threads, dict[str, int]]:
        """`threads` and `ended` of a reading, of all threads of all its processes."""
        threads, ended = {self._main: main}, {}
        for pid in self._processes():
            with suppress(OSError):
                used = clock_gettime_ns(cpu_clock(pid))
                more = dict(thread_times(f"/proc/{pid}/task"))
                threads.update(more)
                ended[str(pid)] = used - _ran(more)
                ended[f"{pid}'s children"] = int(stat(pid)[REAPED_FAULTS])
        return threads, ended

    def _states(self) -> Iterator[bytes]:
        """Yield the state of each thread of all its processes, one letter."""
        return chain.from_iterable(states(f"/proc/{pid}/task") for pid in self._processes())

    def _processes(self) -> list[int]:
        """The bot's process and those that it started, and those did, as far as they live."""
        found = [self._group]
        for child in children_of(self._zygote):
            with suppress(OSError):
                if child != self._group and os.getpgid(child) == self._group:
                    found.append(child)
        pending = deque(found)
        while pending and len(found) < MOST_PROCESSES:
            children = children_of(pending.popleft())
            found += children
            pending += children
        return found


def _ran(threads: _Threads) -> int:
    return sum(ran for ran, _ in threads.values())
