"""Reading strangers' files in confined processes, which the fork server forks."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from arena.common.errors import (
    DEBUG,
    GarbledError,
    MachineError,
    ReaderDiedError,
    ReadingEndedError,
    UnreadableError,
)
from arena.intake.reading import (
    ENVIRONMENT,
    TRIES,
    Answers,
    ReadKind,
    ReadRequest,
    answers_in,
    file_name,
    too_much,
    values_in,
)

MAX_TASK = 4096  # Bytes of the message that asks for a fork: the modules to import.
SILENCE_SECONDS = 660  # Longest wait for a message; its limits should end a process earlier.

# A SIGXCPU after less than this share of the time limit is not the kernel's. The share is low, as
# on a busy machine the kernel also counts ticks of other processes.
SPENT = 0.3

# Signals that a file can cause.
CRASHES = frozenset(
    (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGSYS)
)

FORK_SERVER = (sys.executable, "-s", "-P", "-m", "arena.intake.fork_server")


class Channel(Answers):
    """One end of the stream between Arena and a reading process."""

    def __init__(self, stream: socket.socket) -> None:
        super().__init__(stream.sendall)
        self._stream = stream

    def send_request(self, request: ReadRequest) -> None:
        """Send the request and close this direction of the stream."""
        self._stream.sendall(json.dumps(request.plain()).encode())
        self._stream.shutdown(socket.SHUT_WR)

    def request(self) -> ReadRequest:
        with self._stream.makefile("rb") as data:
            return ReadRequest(*json.load(data))

    def received(self, most: int) -> Iterator[tuple[int, Any]]:
        """Yield (kind, value) of each message, of `most` bytes in all, until the end.

        Raises GarbledError after `most` bytes.
        """
        with self._stream.makefile("rb") as data:
            yield from answers_in(data, most)


class ForkServer:
    """The fork server, started on first use. It ends with this process."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._starting:
            if self._control is None:
                self._start()

    def answers(self, request: ReadRequest, modules: Sequence[str], most: int) -> Iterator[Any]:
        """Yield the answers to a request, after up to TRIES attempts."""
        known = garbled = 0
        ends: list[ReadingEndedError] = []
        while len(ends) < TRIES:
            try:
                for value in islice(self._attempt(request, modules, most), known, None):
                    known += 1
                    yield value
                return
            except ReadingEndedError as end:
                ends.append(end)
            except GarbledError:  # a killed process may leave half a message
                garbled += 1
                if garbled == TRIES:
                    raise
                ends.append(ReadingEndedError(None, file_name([])))
        if all(end.signal in CRASHES for end in ends):
            raise UnreadableError(f"{ends[-1].which} crashes its reader ({ends[-1]})")
        raise ReaderDiedError(
            f"{request.subject} could not be read: the process that reads submissions ended "
            f"{TRIES} times ({ends[-1]}), from outside or for lack of memory; type the same "
            "command again"
        )

    def _attempt(self, request: ReadRequest, modules: Sequence[str], most: int) -> Iterator[Any]:
        """Yield one process's answers. Raises ReadingEndedError if the process ends early."""
        ours, theirs = socket.socketpair()
        ours.settimeout(SILENCE_SECONDS)
        with ours:
            with theirs:
                server = self._request_fork([request.module, *modules], theirs.fileno())
            files: dict[str, None] = {}
            channel = Channel(ours)
            with suppress(ConnectionError, TimeoutError):
                channel.send_request(request)
                answers = _until_ended(channel.received(most), files, request)
                if (yield from values_in(answers, files, request)):
                    return
            # the fork server itself ended; its dying fork may still hold its socket open, so
            # another request could be sent to nobody
            with self._starting:
                if self._control is server:
                    self.end()
            raise ReadingEndedError(None, file_name([*files]))

    def _request_fork(self, modules: Sequence[str], channel: int) -> socket.socket:
        words = [json.dumps(modules).encode()]
        with self._starting:
            for _ in range(2):  # the server may have been killed since its last use
                control = self._control or self._start()
                try:
                    socket.send_fds(control, words, [channel])
                    return control
                except ConnectionError:
                    self.end()
        raise ReadingEndedError(None, file_name([]))

    def end(self) -> None:
        if self._control is not None and self._process is not None:
            self._control.close()
            self._process.kill()  # the server may still be starting; its forks die with it
            self._process.wait()
        self._control = self._process = None

    def _start(self) -> socket.socket:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*FORK_SERVER, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stderr=None if DEBUG in os.environ else subprocess.DEVNULL,
                start_new_session=True,
                env=ENVIRONMENT,
            )
        return self._control


def _until_ended(
    answers: Iterator[tuple[int, Any]], files: dict[str, None], request: ReadRequest
) -> Iterator[tuple[int, Any]]:
    """Yield answers; raise an error if the fork server reports that the process ended."""
    for kind, value in answers:
        match kind, value:
            case ReadKind.ENDED, [int(status), float(spent)]:
                raise _ended(status, spent, [*files], request)
        yield kind, value


def _ended(status: int, spent: float, files: Sequence[str], request: ReadRequest) -> Exception:
    if not os.WIFSIGNALED(status):
        return ReadingEndedError(None, file_name(files))
    number = os.WTERMSIG(status)
    if number == signal.SIGXCPU and spent >= SPENT * request.seconds:
        return UnreadableError(too_much(files, f"{request.seconds} s"))
    if number == signal.SIGALRM:
        path = request.readable[0]
        return MachineError(f"{path} could not be read for minutes: its disk does not answer")
    return ReadingEndedError(number, file_name(files))
