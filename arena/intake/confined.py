"""Call a function on strangers' files in a process that may only read them.

Arena reads strangers' files nowhere else. The function runs in a fork of the fork server, with
limits of time and memory. Its answer is JSON and bytes, to be checked like any other input: the
files may have taken over the process.

A file that exceeds a limit, or crashes the process in every attempt, gets an UnreadableError. Any
other end of the process or the fork server is not the file's fault: it is read again, and after
`TRIES` attempts a MachineError is raised.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from arena.common.errors import (
    DEBUG,
    CannotConfineError,
    GarbledError,
    InternalError,
    MachineError,
    ReaderDiedError,
    ReadingEndedError,
    UnreadableError,
)
from arena.common.text import one_line

MAX_TASK = 4096  # Bytes of the message that asks for a fork: the modules to import.
TRIES = 3  # Attempts to read files if something else ends the process.
SILENCE_SECONDS = 660  # Longest wait for a message; its limits should end a process earlier.

# A SIGXCPU after less than this share of the time limit is not the kernel's. The share is low, as
# on a busy machine the kernel also counts ticks of other processes.
SPENT = 0.3

# Signals that a file can cause.
CRASHES = frozenset(
    (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGSYS)
)

FORK_SERVER = (sys.executable, "-s", "-P", "-m", "arena.intake.fork_server")
ENVIRONMENT = {
    "PYTHONPATH": str(Path(__file__).parents[2]),
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "LANG": "C.UTF-8",
}

_FRAME = struct.Struct("<BI")
_MAX_AT = 500
At = Callable[[str], None]  # Reports the name of the file that is read next.


class ReadKind(IntEnum):
    AT = 1  # name of the next file
    VALUE = 2  # a value, as JSON
    BYTES = 3
    END = 4  # no value
    REFUSED = 5  # the sentence of an UnreadableError
    NO_MEMORY = 6
    TOO_DEEP = 7
    NO_FILE = 8  # errno and text of an OSError
    FAILED = 9  # any other exception and its line in Arena, whose fault it is
    ENDED = 10  # from the fork server: wait status and CPU seconds of a process that ended
    NOT_CONFINED = 11  # why the process could not be confined


@dataclass(frozen=True, slots=True)
class ReadRequest:
    module: str
    function: str
    arguments: Sequence[Any]
    """JSON values for the function, after its `At`."""

    readable: Sequence[str]
    seconds: int
    memory: int


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """CPU seconds, bytes of memory and bytes of the answer."""

    seconds: int
    memory: int
    answer: int


# For one submission of the largest size; most take 0.01 s.
SUBMISSION = ReadLimits(seconds=10, memory=512 << 20, answer=80 << 20)
EXPORT = ReadLimits(seconds=120, memory=2 << 30, answer=2 << 30)  # For the files of a whole class.


class Channel:
    """One end of the stream between Arena and a reading process."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream

    def send_request(self, request: ReadRequest) -> None:
        """Send the request and close this direction of the stream."""
        values = [getattr(request, name) for name in ReadRequest.__slots__]
        self._stream.sendall(json.dumps(values).encode())
        self._stream.shutdown(socket.SHUT_WR)

    def request(self) -> ReadRequest:
        with self._stream.makefile("rb") as data:
            return ReadRequest(*json.load(data))

    def at(self, name: str) -> None:
        """Report the file to be read next: later failures are about this file."""
        self.send(ReadKind.AT, name[:_MAX_AT])

    def send(self, kind: ReadKind, value: Any = None) -> None:
        data = value if kind == ReadKind.BYTES else json.dumps(value).encode()
        # in one call, as a kill between two calls would leave half a message; also faster
        self._stream.sendall(_FRAME.pack(kind, len(data)) + data)

    def received(self, most: int) -> Iterator[tuple[int, Any]]:
        """Yield (kind, value) of each message until the other end closes.

        Raises GarbledError after `most` bytes.
        """
        with self._stream.makefile("rb") as data:
            while len(head := data.read(_FRAME.size)) == _FRAME.size:
                kind, size = _FRAME.unpack(head)
                most -= size
                if most < 0:
                    raise GarbledError
                text = data.read(size)
                if len(text) < size:
                    return
                yield kind, text if kind == ReadKind.BYTES else _plain(text)


def _plain(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise GarbledError from None


def confined(
    function: Callable[..., Any],
    *arguments: Any,
    readable: Sequence[Path],
    modules: Sequence[str] = (),
    limits: ReadLimits = SUBMISSION,
) -> Any:
    """Return the result of `function(at, *arguments)`, called in a confined process.

    The function is a top-level one of Arena; arguments and result are JSON values. It can read only
    the `readable` paths. `modules` are imported first. Raises OSError for a file that cannot be
    read, UnreadableError if the function refuses it or a limit is reached.
    """
    found = confined_items(function, *arguments, readable=readable, modules=modules, limits=limits)
    items = list(found)
    if len(items) != 1:
        raise GarbledError
    return items[0]


def confined_items(
    function: Callable[..., Any],
    *arguments: Any,
    readable: Sequence[Path],
    modules: Sequence[str] = (),
    limits: ReadLimits = SUBMISSION,
) -> Iterator[Any]:
    """Yield the items (JSON values, bytes) of a generator function, like `confined`."""
    request = ReadRequest(
        function.__module__,
        function.__qualname__,
        arguments,
        [os.path.abspath(path) for path in readable],
        limits.seconds,
        limits.memory,
    )
    yield from _reader().answers(request, modules, limits.answer)


def start_fork_server() -> None:
    """Start the fork server early, as its start takes time."""
    _reader().start()


class _ReaderProcess:
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
                ends.append(ReadingEndedError(None, _file_name([])))
        if all(end.signal in CRASHES for end in ends):
            raise UnreadableError(f"{ends[-1].which} crashes its reader ({ends[-1]})")
        where = request.readable[0] if request.readable else request.function
        raise ReaderDiedError(
            f"{where} could not be read: the process that reads submissions ended "
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
                for kind, value in channel.received(most):
                    if kind == ReadKind.END:
                        return
                    if kind == ReadKind.AT:
                        files[one_line(str(value))] = None
                    elif kind in (ReadKind.VALUE, ReadKind.BYTES):
                        yield value
                    else:
                        raise _error(kind, value, [*files], request)
            # the fork server itself ended; its dying fork may still hold its socket open, so
            # another request could be sent to nobody
            with self._starting:
                if self._control is server:
                    self.end()
            raise ReadingEndedError(None, _file_name([*files]))

    def _request_fork(self, modules: Sequence[str], channel: int) -> socket.socket:
        """Return the connection to the fork server that was asked."""
        words = [json.dumps(modules).encode()]
        with self._starting:
            for _ in range(2):  # the server may have been killed since its last use
                control = self._control or self._start()
                try:
                    socket.send_fds(control, words, [channel])
                    return control
                except ConnectionError:
                    self.end()
        raise ReadingEndedError(None, _file_name([]))

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


@cache
def _reader() -> _ReaderProcess:
    reader = _ReaderProcess()
    atexit.register(reader.end)
    return reader


def _file_name(files: Sequence[str]) -> str:
    return files[0] if len(files) == 1 else "one of its files"


def _error(kind: int, value: Any, files: Sequence[str], request: ReadRequest) -> Exception:
    which = _file_name(files)
    match kind, value:
        case ReadKind.REFUSED, str():
            return UnreadableError(value)
        case ReadKind.NO_MEMORY, None:
            return UnreadableError(_too_much(files, f"{request.memory >> 20} MB"))
        case ReadKind.TOO_DEEP, None:
            return UnreadableError(f"{which} is nested too deeply to be read")
        case ReadKind.NO_FILE, [int(number), str(message)]:
            return OSError(number, message)
        case ReadKind.NOT_CONFINED, str():
            return CannotConfineError(f"this machine does not let Arena confine readers: {value}")
        case ReadKind.FAILED, str():
            where = request.readable[0] if request.readable else request.function
            return InternalError(
                f"{where} could not be read, as Arena itself failed, please report it: "
                f"{one_line(value)}"
            )
        case ReadKind.ENDED, [int(status), float(spent)]:
            return _ended(status, spent, files, request)
    return GarbledError()


def _ended(status: int, spent: float, files: Sequence[str], request: ReadRequest) -> Exception:
    if not os.WIFSIGNALED(status):
        return ReadingEndedError(None, _file_name(files))
    number = os.WTERMSIG(status)
    if number == signal.SIGXCPU and spent >= SPENT * request.seconds:
        return UnreadableError(_too_much(files, f"{request.seconds} s"))
    if number == signal.SIGALRM:
        path = request.readable[0]
        return MachineError(f"{path} could not be read for minutes: its disk does not answer")
    return ReadingEndedError(number, _file_name(files))


def _too_much(files: Sequence[str], limit: str) -> str:
    if len(files) == 1:
        return f"{files[0]} takes more than {limit} to be read; make it smaller"
    last = f" (it got to {files[-1]})" if files else ""
    return f"its files take more than {limit} to be read{last}; make them fewer, or smaller"


def text(value: Any, most: int) -> str:
    """Return `value` if it is valid text of at most `most` characters.

    Raises GarbledError.
    """
    if not isinstance(value, str) or len(value) > most:
        raise GarbledError
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise GarbledError from None
    return value


def texts(value: Any, most: int, each: int) -> tuple[str, ...]:
    """Return a tuple of up to `most` texts of up to `each` characters.

    Raises GarbledError if `value` is no list of such texts.
    """
    if not isinstance(value, list) or len(value) > most:
        raise GarbledError
    return tuple(text(item, each) for item in value)
