"""The kernel's figures of processes and their threads, from /proc; see proc(5)."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import suppress

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
"""The unit of most of its times, in nanoseconds."""

MOST_BYTES = os.sysconf("SC_PAGESIZE")
"""The kernel hands out no more of such a file at a time, none of it cut; nobody has so many
children that it would not do."""

REAPED = slice(13, 15)
"""Fields of /proc/PID/stat, counted after the name: ticks of CPU of children waited for."""

REAPED_FAULTS = 8
"""The field with their page faults, of which even the shortest child has some."""

FLAGS, PF_EXITING = 6, 4
"""The field with a thread's flags, and the flag of a thread that is ending."""

END_MS = 10_000
"""Milliseconds that a process has for its end once all its threads are ending: it only needs a core
for a moment. One whose threads start others has not ended by then."""


def content(path: str) -> bytes:
    """Return what one of the short files holds, by three system calls; a file object makes nine.

    Raises OSError.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, MOST_BYTES)
    finally:
        os.close(fd)


def has_ended(pid: int) -> bool:
    """Return True if a process that is not reaped yet has ended, with all its threads.

    Waits for one whose threads are all ending. Only the kernel's own word counts, as threads that
    start others can hide from those who look at them one by one.
    """
    if any(is_alive(f"{pid}/task/{thread}") for thread in threads(pid)):
        return False
    try:
        fd = os.pidfd_open(pid)
    except OSError:  # Linux before 5.3
        return False
    try:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(END_MS))
    finally:
        os.close(fd)


def threads(pid: int) -> list[str]:
    """Ids of a process's threads, the ended main thread's included; none once it is gone."""
    with suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []


def is_alive(thread: int | str) -> bool:
    """Return True if a thread has not begun to end: `PID/task/TID`, or a process's main thread."""
    with suppress(OSError):
        state, *_ = fields = stat(thread)
        return state not in (b"Z", b"X") and not int(fields[FLAGS]) & PF_EXITING
    return False


def is_stopped(pid: int) -> bool:
    """Return True if a process is stopped by a signal, or by a debugger."""
    with suppress(OSError):
        return stat(pid)[0] in (b"T", b"t")
    return False


def is_frozen(pid: int) -> bool:
    """Return True if a process lies in a control group that is frozen, as of a paused container."""
    with suppress(OSError):
        for line in content(f"/proc/{pid}/cgroup").decode().splitlines():
            number, kinds, path = line.split(":", 2)
            if number == "0" and b"frozen 1" in _of_group("", path, "cgroup.events"):
                return True
            if kinds == "freezer" and b"FROZEN" in _of_group(kinds, path, "freezer.state"):
                return True
    return False


def _of_group(kind: str, path: str, file: str) -> bytes:
    """What a file of a control group holds; nothing where there is none."""
    for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        with suppress(OSError):
            return content(os.path.normpath(f"{root}/{kind}/{path}/{file}"))
    return b""


def children_of(pid: int) -> list[int]:
    """The processes whose parent is one of a process's threads; none if nobody can tell."""
    children: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            children += map(int, content(f"/proc/{pid}/task/{thread}/children").split())
    return children


def thread_times(tasks: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """(thread, its CPU and its run-queue wait) of all threads in the folder of a process's."""
    with suppress(OSError):
        for thread in os.listdir(tasks):
            with suppress(OSError):
                yield thread, ran_and_waited(content(f"{tasks}/{thread}/schedstat"))


def stat(pid: int | str) -> list[bytes]:
    """The fields of /proc/PID/stat after the name; `PID/task/TID` in place of PID is a thread.

    Raises OSError once it is gone.
    """
    return content(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def states(tasks: str) -> Iterator[bytes]:
    """Yield the state, one letter, of each thread in the folder of a process's threads."""
    with suppress(OSError):
        for thread in os.listdir(tasks):
            with suppress(OSError):
                yield content(f"{tasks}/{thread}/stat").rpartition(b") ")[2][:1]


def cpu_clock(pid: int) -> int:
    """CPUCLOCK_SCHED of a whole process, see clock_getres(2)."""
    return (~pid << 3) | 2


def ran_and_waited(schedstat: bytes) -> tuple[int, int]:
    """(CPU, run-queue wait) of a thread in nanoseconds: the first two of three figures."""
    ran, waited, _ = schedstat.split()
    return int(ran), int(waited)
