"""A bot's clock, read from outside its process.

Charged time is wall time minus the time in which the bot was ready to run but waited for a core. So
a busy machine costs a bot nothing. The charge is at least the CPU used since the bot's last answer,
in either turn, including its zygote's CPU for its requests. So neither sleep nor work in the
opponent's turn gains anything.

For example, an answer comes after 100 ms, in which the bot's only thread ran for 60 ms, waited for
a core for 30 ms and slept for 10 ms: 70 ms are charged. If it also ran for 90 ms in its opponent's
turn, 150 ms are charged.

A bot must not gain by waits that it causes itself. Two measurements of the kernel bound them:

- *One thread's wait*, minus the CPU that the bot's other threads and its zygote used meanwhile. The
  rest, a wait for other bots or for the referee's looks at the clock, is forgiven, except CPU of
  looks beyond a tenth of the wall time: a program can make looks long.
- *The waits of all threads*, the zygote's and the referee's, added up: threads that share the
  interpreter's lock share the waiting. As threads that wait at the same time count twice, the sum
  is capped at wall time minus the bot's CPU and the core's idle time since the first look.

At least a tenth (LEAST_SHARE) of the time in which no single thread waited is charged. So a move
ends after about ten times its limit at the latest.

Two other delays are not charged: the time in which a hypervisor takes the core away, as far as the
kernel counts it; and a stop of the referee together with its bots, as when a container is
suspended. A stop lasts as long as a look is late, minus the referee's own waits and CPU.
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
    buffer_bytes,
    children_of,
    cpu_clock,
    memory_of,
    ran_and_waited,
    resident_bytes,
    stat,
    states,
    thread_times,
)

# A younger reading is not repeated, so this is the largest error of a move's time.
FRESH_NS = 1_000_000
STALE_NS = 10_000_000  # Age from which the last reading of waits must be refreshed before a turn.

# A bot that uses more CPU than this between its answer and its next turn is pondering.
PONDERING_NS = 5_000_000
NEVER_NS = 1 << 62  # Longer than any turn.
STOPPED_NS = 50_000_000  # A look delayed by more than this means that the referee was stopped.
LEAST_SHARE = 10  # At least 1/LEAST_SHARE of the time that no thread waited is charged.
ONE_THREAD = 3  # Links of the task folder of a process with one thread: two, and one per thread.
MOST_PROCESSES = 256  # Most processes of a program that are counted; it cannot have more.
_Threads = dict[str, tuple[int, int]]  # (CPU, run-queue wait) in nanoseconds, by thread id.


class _ClockReading(NamedTuple):
    """The kernel's counters at one moment, in nanoseconds since each process began."""

    threads: _Threads

    ended: dict[str, int]
    """For each process, a figure that grows when a thread or child of the process ends."""

    zygote_wait: int  # Run-queue wait of the zygote, which grants the bot files.
    referee_wait: int  # Run-queue wait of the referee, which reads the bot's answer.
    referee_cpu: int = 0


class _Interval:
    """Wall time between two looks. At both, no thread of the bot wanted a core."""

    def __init__(self, reading: _ClockReading, cpu: int, began_at: int) -> None:
        self.cpu, self.began_at = cpu, began_at
        self._began = reading
        self._referee = reading.referee_wait  # since then an answer may have waited for the referee
        self._unasked = 0  # referee wait that may have delayed the request
        self._waited: dict[str, int] = {}  # by thread id, ended threads included
        self._longest = 0  # wait of one thread for other processes

    def waited(
        self, now: _ClockReading, cpu: int, idle: int, pending: int, runnable: int
    ) -> tuple[int, int]:
        """Return the sum of all threads' waits, and one's longest for other processes.

        `idle` is the wall time without CPU of the bot, `cpu` all its CPU so far. Each of the
        `runnable` threads may have waited `pending` more, not yet counted by the kernel.
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
        longest = max(self._longest, zygote - ours, referee - ours) + pending
        if any(mark > began.ended.get(who, 0) for who, mark in now.ended.items()):
            return idle, longest  # the waits of ended threads are lost
        waited = sum(self._waited.values()) + runnable * pending + zygote + referee
        return min(idle, waited), longest

    def waited_by_referee(self, now: _ClockReading) -> int:
        return now.referee_wait - self._referee

    def look_again(self, referee_wait: int, *, first: bool) -> None:
        """Forget the referee's wait up to a look that found no answer.

        At the first look of a turn this wait is kept: a part of it may have come before the
        request.
        """
        if first:
            self._unasked = referee_wait - self._referee
        self._referee = referee_wait


class BotClock:
    """The clock of a bot in one process. A move of microseconds needs no system call."""

    def __init__(self, pid: int, zygote: int, shared: mmap) -> None:
        """Open the kernel's counters of a process, not yet reaped, and of its zygote.

        `shared` is that process's protocol.SHARED.
        """
        self._shared = shared
        self._tasks, self._statm = f"/proc/{pid}/task", f"/proc/{pid}/statm"
        self._cpu_clock = cpu_clock(pid)
        self._main = str(pid)
        self._granter = f"/proc/{zygote}/task"
        self._schedstats: list[int] = []
        with suppress(FileNotFoundError):  # a kernel without these files: no wait is forgiven
            for who in (pid, zygote, "self"):
                path = f"/proc/{who}/schedstat"
                self._schedstats.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        self.ponders = False  # the bot has used the CPU outside its turn
        self.stops = False  # the bot must be stopped outside its turn
        self.look_ns = NEVER_NS  # longest time between two looks at a turn
        self._steal = Steal()
        self._turn = 0  # start of the last turn that was looked at
        self._stopped = 0  # nanoseconds that the referee was stopped in that turn
        self._idle: int | None = None  # the core's idle time at the first look of that turn
        self._cpu_seen = self._cpu_looked = self.used()
        self._cpu_read_at = self._waits_from = self._looked_at = perf_counter_ns()
        self._referee_cpu = 0  # the referee's CPU at its last look
        self.refresh()

    def refresh(self) -> int:
        """Read the counters before a turn; return the time (perf_counter_ns)."""
        cpu = self.used()
        reading = self._read(cpu)
        self._interval, self._referee_cpu = _Interval(reading, cpu, 0), reading.referee_cpu
        self._steal.begin()
        self._all_waits = self._longest = 0  # of past intervals of this turn
        if cpu - self._cpu_seen > PONDERING_NS:
            self.ponders = self.stops = True
        now = perf_counter_ns()
        self.stale_at = now + STALE_NS  # a later turn should begin with `refresh`
        return now

    def referee_wait(self) -> int:
        """Return the referee's total run-queue wait in nanoseconds."""
        return ran_and_waited(os.pread(self._schedstats[-1], 64, 0))[1] if self._schedstats else 0

    def charged(self, asked_at: int, referee_wait: int) -> int:
        """Return the least charge so far for a turn that is not over, in nanoseconds.

        Read `referee_wait` before you check for an answer. Call this at intervals: the kernel
        counts a wait only when the thread gets a core. Until then the looks bound how long it may
        have waited.
        """
        now, cpu = perf_counter_ns(), self.used()
        reading = self._read(cpu)
        runnable = self._runnable()
        if cpu > self._cpu_looked:
            self._cpu_looked, self._waits_from = cpu, self._looked_at
        if not runnable:
            self._waits_from = now
        is_first = asked_at != self._turn
        self._add_stops(now, asked_at, reading)
        if self._idle is None:
            self._idle = self._steal.idle()
        self._interval.look_again(referee_wait, first=is_first)
        pending = now - max(self._waits_from, asked_at)
        all_waits, longest = self._waited(reading, now, asked_at, cpu, pending, runnable)
        charged = self._charge_for(now - asked_at, cpu, all_waits, longest)
        at_once = perf_counter_ns() - now < FRESH_NS  # else the readings differ in time
        if not runnable and at_once:
            self._all_waits, self._longest = all_waits, longest
            self._interval = _Interval(reading, cpu, now)
        self._looked_at, self._referee_cpu = now, reading.referee_cpu
        self.stale_at = 0  # the next turn must begin with `refresh`
        return charged

    def charge(self, asked_at: int) -> int:
        """Return the charge in nanoseconds for a turn from `asked_at` until now."""
        now = perf_counter_ns()
        if now - self._cpu_read_at < FRESH_NS:
            return now - asked_at
        cpu = self.used()
        charged = now - asked_at
        if charged - (cpu - self._cpu_seen) >= FRESH_NS:
            reading = self._read(cpu)
            self._add_stops(now, asked_at, reading)
            charged = self._charge_for(charged, cpu, *self._waited(reading, now, asked_at, cpu))
        charged = max(charged, cpu - self._cpu_seen)
        self._cpu_seen, self._cpu_read_at = cpu, now
        self._interval.cpu = cpu
        return charged

    def has_threads(self) -> bool:
        try:
            return os.stat(self._tasks).st_nlink > ONE_THREAD
        except OSError:
            return False  # the process has ended

    def awake(self) -> int:
        """Return how many threads run now or will run without being woken."""
        return sum(state in b"RD" for state in self._states())

    def at_rest(self) -> bool:
        """Return True if all threads of the bot are stopped or have ended."""
        return all(state in b"TtZX" for state in self._states())

    def memory(self) -> int:
        """Return the bytes of memory that the bot uses now, including its kernel buffers."""
        return resident_bytes(self._statm) + buffer_bytes(self._main)

    def exceeds(self, most: int) -> bool:
        """Return True if the bot now uses more than `most` bytes with its kernel buffers."""
        return self.memory() > most

    def close(self) -> None:
        for fd in self._schedstats:
            os.close(fd)

    def used(self) -> int:
        """Return the CPU that the bot, and the zygote for it, have used, in nanoseconds."""
        return clock_gettime_ns(self._cpu_clock) + self._zygotes()

    def _zygotes(self) -> int:
        spent: int = SHARED.unpack_from(self._shared)[1]
        return spent

    def _add_stops(self, now: int, asked_at: int, reading: _ClockReading) -> None:
        if asked_at != self._turn:
            self._turn, self._stopped, self._idle = asked_at, 0, None
        late = now - max(asked_at, self._looked_at) - self.look_ns
        late -= self._interval.waited_by_referee(reading)
        late -= reading.referee_cpu - self._referee_cpu
        if late > STOPPED_NS:
            self._stopped += late

    def _charge_for(self, wall: int, cpu_now: int, all_waits: int, longest: int) -> int:
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
        """Return two waits of the turn so far: of all threads added up, and of single threads."""
        interval = self._interval
        wall = now - max(interval.began_at, asked_at)
        idle = max(0, wall - (cpu - interval.cpu))
        all_waits, longest = interval.waited(reading, cpu, idle, pending, runnable)
        return self._all_waits + all_waits, self._longest + min(longest, wall)

    def _runnable(self) -> int:
        everybody = chain(self._states(), states(self._granter))
        return sum(state == b"R" for state in everybody)

    def _states(self) -> Iterator[bytes]:
        return states(self._tasks)

    def _read(self, cpu: int) -> _ClockReading:
        if not self._schedstats:
            return _ClockReading({}, {}, 0, 0)
        main, zygote, referee = (ran_and_waited(os.pread(fd, 64, 0)) for fd in self._schedstats)
        threads, ended = self._threads(cpu, main)
        return _ClockReading(threads, ended, zygote[1], referee[1], referee[0])

    def _threads(self, cpu: int, main: tuple[int, int]) -> tuple[_Threads, dict[str, int]]:
        threads = {self._main: main}
        if self.has_threads():
            threads.update(thread_times(self._tasks))
        return threads, {self._main: cpu - self._zygotes() - _ran(threads)}


class ProgramClock(BotClock):
    """The clock of a program: the bot's process and all that it starts.

    These processes form one process group, which none can leave. Orphans become children of the
    zygote. All are stopped between turns, so CPU used then does not count as pondering.
    """

    def __init__(self, pid: int, zygote: int, shared: mmap) -> None:
        self._group, self._zygote = pid, zygote
        super().__init__(pid, zygote, shared)
        self.stops = True

    def refresh(self) -> int:
        now = super().refresh()
        self.ponders = False  # this was CPU until the program was stopped, or the zygote's
        return now

    def exceeds(self, most: int) -> bool:
        return memory_of(self._processes(), most) > most

    def used(self) -> int:
        cpu = self._zygotes()
        for pid in self._processes():
            with suppress(OSError):
                ticks = stat(pid)[REAPED]
                cpu += clock_gettime_ns(cpu_clock(pid)) + sum(map(int, ticks)) * TICK_NS
        return cpu

    def _threads(self, cpu: int, main: tuple[int, int]) -> tuple[_Threads, dict[str, int]]:
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
        return chain.from_iterable(states(f"/proc/{pid}/task") for pid in self._processes())

    def _processes(self) -> list[int]:
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
