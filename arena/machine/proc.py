"""What the kernel tells of processes, of control groups and of this machine's cores.

- Processes and their threads, from /proc; see proc(5).
- The control groups that this process is in, of version 1 or 2; see cgroups(7). They can have
  limits of their own, in a container most often.
- The memory that a bot's processes hold, by whatever way they came to it. A bot in one process has
  little beside its own pages: 32 descriptors of buffers, 65,530 mappings and the page tables of
  4 GiB are 40 MiB at most. Each descriptor is counted as a full socket. A program's 64 processes
  with 128 descriptors each can have the kernel keep gigabytes for them that no process is said to
  have; what is kept, or what there is room for, is counted as the program's. The files that a bot
  wrote are its memory, too: where a scratch folder can be a file system of its own, it is one in
  memory.
- Time in which a core did nothing, or was a virtual machine's only by name; see proc_stat(5).
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

from arena.host.sandbox.confining import CHANNEL, OPEN_FILES
from arena.host.sandbox.scratch import used

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
"""The unit of most of its times, in nanoseconds."""

PAGE = os.sysconf("SC_PAGESIZE")
"""The kernel hands out no more of a file about a process at a time, none of it cut; nobody has so
many children that it would not do."""

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
        return os.read(fd, PAGE)
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


MOUNT = Path("/sys/fs/cgroup")
"""Folder of the control groups; those of version 1 lie in folders named after what they control."""


def control_groups(kind: str) -> tuple[int, list[Path]]:
    """The groups for `memory` or `pids` that this process is in, the innermost first, and 1 if
    they are of version 1, 0 if of version 2."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            old = kind in controllers.split(",")
            root = MOUNT / kind if old else MOUNT
            if old or (not controllers and not (MOUNT / kind).is_dir()):
                # in a container the path may be the one outside, and the root its own group
                inner = root / path.strip("/")
                inner = inner if inner.is_dir() else root
                return int(old), [inner, *(up for up in inner.parents if up.is_relative_to(root))]
    return 0, []


def number(path: Path) -> int | None:
    """The number that a file holds; None if it holds another word, or is not there."""
    with suppress(OSError, ValueError):
        return int(path.read_text())
    return None


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


OWN = (b"RssAnon", b"VmSwap", b"VmPTE")
"""Lines of /proc/PID/status: its own pages, in memory or not, and the tables of them, in KiB."""

MOST_FILES = 4096
"""Files of a scratch folder that are looked at; more than a bot may bring and make."""

MAPPING_BYTES = 256
"""The kernel's record of a mapping and its share of their tree."""

PIPE_BYTES = 16 * PAGE
"""Capacity of a pipe; bots cannot have it hold more."""

UNTOLD = 1 << 62
"""More than any limit: a process without a main thread shows no memory, whatever it has."""

WATCH_BYTES = 256
"""The kernel's records of a file that an epoll watches; counted for each descriptor of the epoll,
as nobody can tell which of them are of the same one."""

EPOLL = "anon_inode:[eventpoll]"
"""Target of the link of an epoll's descriptor."""


def resident(statm: str) -> int:
    """Bytes of memory of its own that a process has, from that file of it; UNTOLD once its main
    thread has ended, and 0 once it is gone."""
    with suppress(OSError):
        _, all_of_it, shared, *_ = map(int, content(statm).split())
        return (all_of_it - shared) * PAGE if all_of_it else UNTOLD
    return 0


def buffers(process: str) -> int:
    """Bytes that the kernel may come to hold in the buffers of a process's descriptors.

    0 once it has ended. A kernel before 6.2 does not tell how many descriptors there are.
    """
    with suppress(OSError):
        number = os.stat(f"/proc/{process}/fd").st_size or OPEN_FILES
        return max(0, number - CHANNEL - 1) * _socket_bytes()
    return 0


def written(folder: int) -> int:
    """Bytes of the files in a scratch folder, given its descriptor; 0 if there is none.

    Of a file system of its own also bytes of files that are deleted and still open or mapped.
    """
    with suppress(OSError):
        if os.fstat(folder).st_dev != os.stat("..", dir_fd=folder).st_dev:
            about = os.fstatvfs(folder)
            return (about.f_blocks - about.f_bfree) * about.f_frsize
        return used(folder, MOST_FILES)[1]
    return 0


def held(processes: Iterable[int], enough: int) -> int:
    """Bytes that these processes have, and that the kernel has or may come to have for them.

    Counts no further once there are more than `enough`: what is counted is shown by the kernel
    line by line, and a program could make that take minutes.
    """
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
    kinds = [link.partition(":")[0] for link in buffers]  # `pipe:[4242]`, once for all who share it
    return total + kinds.count("pipe") * PIPE_BYTES + kinds.count("socket") * _socket_bytes()


def _pages(pid: int) -> int:
    """Bytes of a process's own pages and of their tables. Raises OSError."""
    lines = (line.partition(b":") for line in content(f"/proc/{pid}/status").splitlines())
    return sum(int(text.split()[0]) << 10 for name, _, text in lines if name in OWN)


def _count(path: str, mark: bytes) -> int:
    """Return how often a mark stands in a file of any length. Raises OSError."""
    with open(path, "rb") as file:
        return file.read().count(mark)


@cache
def _socket_bytes() -> int:
    """Return the bytes of messages that a socket can hold, with the kernel's records of them.

    A buffer takes a last message that does not fit. Bots cannot have it hold more.
    """
    one, other = socket.socketpair()
    with one, other:
        return one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) * 5 // 4
