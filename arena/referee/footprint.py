"""The memory that a bot's processes hold, by whatever way they came to it.

A bot in one process has little beside its own pages: 32 descriptors of buffers, 65,530 mappings and
the page tables of 4 GiB are 40 MiB at most. Each descriptor is counted as a full socket. A
program's 64 processes with 128 descriptors each can have the kernel keep gigabytes for them that no
process is said to have; what is kept, or what there is room for, is counted as the program's.

The files that a bot wrote are its memory, too: where a scratch folder can be a file system of its
own, it is one in memory.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

from arena.host.sandbox import CHANNEL, OPEN_FILES
from arena.host.scratch import used
from arena.referee.proc import content

PAGE = os.sysconf("SC_PAGESIZE")

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
            total += _mappings(pid) * MAPPING_BYTES
            for number in os.listdir(f"/proc/{pid}/fd"):
                if total > enough:
                    return total
                with suppress(OSError):
                    link = os.readlink(f"/proc/{pid}/fd/{number}")
                    buffers.add(link)
                    if link == EPOLL:
                        total += _watches(pid, number) * WATCH_BYTES
    kinds = [link.partition(":")[0] for link in buffers]  # `pipe:[4242]`, once for all who share it
    return total + kinds.count("pipe") * PIPE_BYTES + kinds.count("socket") * _socket_bytes()


def _pages(pid: int) -> int:
    """Bytes of a process's own pages and of their tables. Raises OSError."""
    lines = (line.partition(b":") for line in content(f"/proc/{pid}/status").splitlines())
    return sum(int(text.split()[0]) << 10 for name, _, text in lines if name in OWN)


def _mappings(pid: int) -> int:
    """Number of a process's mappings. Raises OSError."""
    with open(f"/proc/{pid}/maps", "rb") as file:
        return file.read().count(b"\n")


def _watches(pid: int, number: str) -> int:
    """Number of the files that an epoll watches. Raises OSError."""
    with open(f"/proc/{pid}/fdinfo/{number}", "rb") as file:
        return file.read().count(b"tfd:")


@cache
def _socket_bytes() -> int:
    """Return the bytes of messages that a socket can hold, with the kernel's records of them.

    A buffer takes a last message that does not fit. Bots cannot have it hold more.
    """
    one, other = socket.socketpair()
    with one, other:
        return one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) * 5 // 4
