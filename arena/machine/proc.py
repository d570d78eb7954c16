"""The Linux kernel's figures on processes and cores.

- Processes and their threads, from /proc; see proc(5).
- The memory that a bot's processes use. A bot in one process uses at most 40 MiB besides its pages
  (buffers of 32 descriptors, 65,530 mappings, page tables of 4 GiB). A program's 64 processes with
  128 descriptors each can make the kernel hold gigabytes that no process is charged for, so such
  buffers count as the program's. So do the files that a bot wrote: a scratch file system is in
  memory.
- Time in which a core was idle or used by another virtual machine; see proc_stat(5).
"""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import perf_counter_ns

from arena.host.sandbox.confining import OPEN_FILES, REQUESTS
from arena.host.sandbox.scratch import used

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")  # Unit of most times of /proc, in nanoseconds.

# Bytes to read from a file about a process; all these files are shorter.
PAGE = os.sysconf("SC_PAGESIZE")
REAPED = slice(13, 15)  # Fields of /proc/PID/stat after the name: ticks of CPU of reaped children.
REAPED_FAULTS = 8  # The field with such children's page faults; even the shortest child has some.

# The field with a thread's flags, and the flag of a thread that is ending.
FLAGS, PF_EXITING = 6, 4

# Longest wait for the end of a process whose threads are all ending. If its threads start others,
# the process does not end by then.
END_MS = 10_000


def content(path: str) -> bytes:
    """Return a short file's content in three system calls. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, PAGE)
    finally:
        os.close(fd)


def has_ended(pid: int) -> bool:
    """Return True if a process that is not reaped yet has ended, with all its threads.

    Waits for a process whose threads are all ending. Asks the kernel about the whole process,
    because threads that start others can hide from a look at each thread.
    """
    if any(is_alive(f"{pid}/task/{thread}") for thread, _ in _of_threads(f"/proc/{pid}/task")):
        return False
    try:
        fd = os.pidfd_open(pid)
    except OSError:  # Linux before 5.3 has no pidfd
        return False
    try:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(END_MS))
    finally:
        os.close(fd)


def _of_threads(tasks: str, file: str = "stat") -> Iterator[tuple[str, bytes]]:
    with suppress(OSError):
        for thread in os.listdir(tasks):
            with suppress(OSError):
                yield thread, content(f"{tasks}/{thread}/{file}")


def is_alive(thread: int | str) -> bool:
    """Return True if a thread, `PID/task/TID` or a main PID, has not begun to end."""
    with suppress(OSError):
        state, *_ = fields = stat(thread)
        return state not in (b"Z", b"X") and not int(fields[FLAGS]) & PF_EXITING
    return False


def is_stopped(pid: int) -> bool:
    with suppress(OSError):
        return stat(pid)[0] in (b"T", b"t")
    return False


def children_of(pid: int) -> list[int]:
    texts = _of_threads(f"/proc/{pid}/task", "children")
    return [int(child) for _, text in texts for child in text.split()]


def thread_times(tasks: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield (thread id, (CPU, run-queue wait)) of each thread in a task folder."""
    return ((thread, ran_and_waited(text)) for thread, text in _of_threads(tasks, "schedstat"))


def stat(pid: int | str) -> list[bytes]:
    """Return the fields of /proc/PID/stat after the name. Raises OSError if reaped."""
    return content(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def states(tasks: str) -> Iterator[bytes]:
    return (text.rpartition(b") ")[2][:1] for _, text in _of_threads(tasks))


def cpu_clock(pid: int) -> int:
    """Return the id of a process's clock CPUCLOCK_SCHED, see clock_getres(2)."""
    return (~pid << 3) | 2


def ran_and_waited(schedstat: bytes) -> tuple[int, int]:
    """Return (CPU, run-queue wait) in nanoseconds, from a thread's schedstat file."""
    ran, waited, _ = schedstat.split()
    return int(ran), int(waited)


STAT = Path("/proc/stat")

# Fields of a core's line, whose name is field 0: ticks without work, including waits for a disk,
# and ticks that the hypervisor gave to others.
IDLE, STOLEN = slice(4, 6), 8

# A reading younger than this is not repeated: it takes as long as several quick moves.
RECENT_NS = 10 * TICK_NS


class Steal:
    """Time that the hypervisor stole from this process's cores; a lane has one core.

    Readings younger than RECENT_NS are not repeated, to cost quick games little. So a turn may be
    forgiven time stolen shortly before. No bot can make the hypervisor steal.
    """

    def __init__(self) -> None:
        self._cores = {f"cpu{core}".encode() for core in os.sched_getaffinity(0)}
        self._read_at = perf_counter_ns()
        self._began = self._ticks()
        self._occurs = self._began > 0

    def begin(self) -> None:
        """Count stolen time from now on, or from up to RECENT_NS ago."""
        if self._occurs and (now := perf_counter_ns()) - self._read_at > RECENT_NS:
            self._began, self._read_at = self._ticks(), now

    def since(self) -> int:
        """Return the nanoseconds stolen since `begin`; 0 if less than a tick."""
        ticks = self._ticks() - self._began if self._occurs else 0
        return (ticks + 1) * TICK_NS if ticks > 0 else 0

    def idle(self) -> int:
        """Return the total idle nanoseconds of the least idle core."""
        return min((sum(map(int, line[IDLE])) for line in self._lines()), default=0) * TICK_NS

    def _ticks(self) -> int:
        return sum(int(line[STOLEN]) for line in self._lines() if line[STOLEN:])

    def _lines(self) -> list[list[bytes]]:
        with suppress(OSError):
            lines = STAT.read_bytes().partition(b"\nintr")[0].splitlines()
            return [line.split() for line in lines if line.partition(b" ")[0] in self._cores]
        return []


# Lines of /proc/PID/status: own pages, swapped pages and page tables, in KiB.
OWN = (b"RssAnon", b"VmSwap", b"VmPTE")
MOST_FILES = 4096  # Files of a scratch folder that are looked at; more than a bot may have.
MAPPING_BYTES = 256  # The kernel's record of a mapping, with its share of the tree of mappings.
PIPE_BYTES = 16 * PAGE  # Capacity of a pipe, which bots cannot raise.
UNKNOWN_BYTES = 1 << 62  # More than any limit: a process without a main thread shows no memory.

# The kernel's record of a file that an epoll watches; counted for each descriptor of the epoll,
# because shared epolls cannot be recognized.
WATCH_BYTES = 256
EPOLL = "anon_inode:[eventpoll]"  # Link target of an epoll's descriptor.


def resident_bytes(statm: str) -> int:
    """Return a process's private memory in bytes, from its statm file.

    0 once the process is reaped; UNKNOWN_BYTES once its main thread has ended.
    """
    with suppress(OSError):
        _, all_of_it, shared, *_ = map(int, content(statm).split())
        return (all_of_it - shared) * PAGE if all_of_it else UNKNOWN_BYTES
    return 0


def buffer_bytes(process: str) -> int:
    """Return the most bytes that the kernel may hold for a process's descriptors.

    Kernels before 6.2 do not report the number of descriptors; then OPEN_FILES counts.
    """
    with suppress(OSError):
        number = os.stat(f"/proc/{process}/fd").st_size or OPEN_FILES
        return max(0, number - REQUESTS - 1) * _socket_bytes()
    return 0


def folder_bytes(folder: int) -> int:
    """Return the bytes of a scratch folder's files, also of deleted ones in use."""
    with suppress(OSError):
        if os.fstat(folder).st_dev != os.stat("..", dir_fd=folder).st_dev:
            about = os.fstatvfs(folder)
            return (about.f_blocks - about.f_bfree) * about.f_frsize
        return used(folder, MOST_FILES)[1]
    return 0


def memory_of(processes: Iterable[int], enough: int) -> int:
    """Return the bytes of processes and their buffers; stops counting above `enough`."""
    total, buffers = 0, set[str]()
    for pid in processes:
        with suppress(OSError):
            total += _pages(pid)
            total += _count(f"/proc/{pid}/maps", b"\n") * MAPPING_BYTES
            for number in os.listdir(f"/proc/{pid}/fd"):
                if total > enough:
                    return total
                with suppress(OSError):
                    link = os.readlink(f"/proc/{pid}/fd/{number}")
                    buffers.add(link)
                    if link == EPOLL:
                        watched = _count(f"/proc/{pid}/fdinfo/{number}", b"tfd:")
                        total += watched * WATCH_BYTES
    kinds = [link.partition(":")[0] for link in buffers]  # `pipe:[4242]` once, even if it is shared
    return total + kinds.count("pipe") * PIPE_BYTES + kinds.count("socket") * _socket_bytes()


def _pages(pid: int) -> int:
    lines = (line.partition(b":") for line in content(f"/proc/{pid}/status").splitlines())
    return sum(int(text.split()[0]) << 10 for name, _, text in lines if name in OWN)


def _count(path: str, mark: bytes) -> int:
    with open(path, "rb") as file:
        return file.read().count(mark)


@cache
def _socket_bytes() -> int:
    """Return the bytes that a socket can hold, including a last message that does not fit."""
    one, other = socket.socketpair()
    with one, other:
        return one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) * 5 // 4
