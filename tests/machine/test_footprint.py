"""Memory that the kernel holds for a process counts, though no process shows it."""

from __future__ import annotations

import mmap
import os
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from arena.machine.proc import MAPPING_BYTES, PIPE_BYTES, WATCH_BYTES, memory_of

EVERYTHING = 1 << 62
# pages shared with other processes count in part, and those come and go
SHARED = 16 * mmap.PAGESIZE
ONLY_READ = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


@contextmanager
def pipes(number: int) -> Iterator[int]:
    with ExitStack() as stack:
        for _ in range(number):
            for end in os.pipe():
                stack.callback(os.close, end)
        yield number * PIPE_BYTES


@contextmanager
def sockets(number: int) -> Iterator[int]:
    with ExitStack() as stack:
        sent = 0
        for _ in range(number):
            for end in socket.socketpair():
                stack.enter_context(end)
                end.setblocking(False)
                with pytest.raises(BlockingIOError):
                    while True:
                        sent += end.send(bytes(1 << 14))
        yield sent


@contextmanager
def watches(number: int) -> Iterator[int]:
    with ExitStack() as stack:
        epoll = stack.enter_context(select.epoll())
        for _ in range(number):
            end = stack.enter_context(open(os.devnull))
            copies = socket.socketpair()
            stack.enter_context(copies[0]), stack.enter_context(copies[1])
            epoll.register(copies[0]), epoll.register(copies[1])
            end.close()
        yield 2 * number * WATCH_BYTES


@contextmanager
def mappings(number: int) -> Iterator[int]:
    with ExitStack() as stack:
        for turn in range(number):  # neighbours of one kind would be one mapping
            reads = mmap.PROT_READ | (mmap.PROT_EXEC if turn % 2 else 0)
            stack.callback(mmap.mmap(-1, mmap.PAGESIZE, ONLY_READ, reads).close)
        yield number * MAPPING_BYTES // 2


@contextmanager
def tables(number: int) -> Iterator[int]:
    step = 2 << 20  # bytes that one page of the tables is for
    with mmap.mmap(-1, (number + 1) * step, ONLY_READ, mmap.PROT_READ) as room:
        assert not any(room[at] for at in range(0, number * step, step))
        yield number * mmap.PAGESIZE


@pytest.mark.parametrize("kind", [pipes, sockets, watches, mappings, tables])
def test_is_counted(kind: object) -> None:
    before = memory_of([os.getpid()], EVERYTHING)
    with kind(100) as amount:  # type: ignore[operator]
        assert memory_of([os.getpid()], EVERYTHING) >= before + amount - SHARED


def test_counting_ends_where_there_is_too_much() -> None:
    with watches(50):
        assert memory_of([os.getpid()] * 3, 0) < memory_of([os.getpid()] * 3, EVERYTHING)
