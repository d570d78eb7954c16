"""The messages between Arena and a process that reads strangers' files."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from arena.common.errors import (
    CannotConfineError,
    GarbledError,
    InternalError,
    UnreadableError,
    with_place,
)
from arena.common.system import peak_bytes
from arena.common.text import one_line

ENVIRONMENT = {
    "PYTHONPATH": str(Path(__file__).parents[2]),
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "LANG": "C.UTF-8",
}
TRIES = 3  # Attempts to read files if something else ends the process.

# Part of its memory limit that a process must have used for MemoryError to be about memory. Parsers
# also raise MemoryError for deep nesting.
NO_MEMORY_SHARE = 0.6

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
    FAILED = 9  # an exception that is Arena's fault, with its line
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

    @property
    def subject(self) -> str:
        return self.readable[0] if self.readable else self.function

    def plain(self) -> list[Any]:
        """Return the fields in order, as JSON values."""
        return [getattr(self, name) for name in self.__slots__]


class Answers:
    """The answers that a reading process writes."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write

    def at(self, name: str) -> None:
        """Report the file to be read next: later failures are about this file."""
        self.send(ReadKind.AT, name[:_MAX_AT])

    def send(self, kind: ReadKind, value: Any = None) -> None:
        data = value if kind == ReadKind.BYTES else json.dumps(value).encode()
        # in one call, as a kill between two calls would leave half a message; also faster
        self._write(_FRAME.pack(kind, len(data)) + data)


def answer(request: ReadRequest, channel: Answers) -> None:
    """Do what a request asks for; called in the reading process."""
    try:
        function = getattr(import_module(request.module), request.function)
        result = function(channel.at, *request.arguments)
        for item in result if isinstance(result, Iterator) else [result]:
            channel.send(ReadKind.BYTES if isinstance(item, bytes) else ReadKind.VALUE, item)
        channel.send(ReadKind.END)
    except UnreadableError as error:
        channel.send(ReadKind.REFUSED, str(error))
    except MemoryError:
        is_full = peak_bytes() > request.memory * NO_MEMORY_SHARE
        channel.send(ReadKind.NO_MEMORY if is_full else ReadKind.TOO_DEEP)
    except OSError as error:
        channel.send(ReadKind.NO_FILE, [error.errno or 0, error.strerror or str(error)])
    except Exception as error:  # a fault in Arena, reported as such
        channel.send(ReadKind.FAILED, one_line(with_place(error)))


def answers_in(data: IO[bytes], most: int) -> Iterator[tuple[int, Any]]:
    """Yield (kind, value) of each answer. Raises GarbledError after `most` bytes."""
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


def values_in(
    answers: Iterator[tuple[int, Any]], files: dict[str, None], request: ReadRequest
) -> Generator[Any, None, bool]:
    """Yield the values of answers; add the names of files that were read to `files`.

    Returns False if the stream ended before the last answer. Raises errors that answers report.
    """
    for kind, value in answers:
        if kind == ReadKind.END:
            return True
        if kind == ReadKind.AT:
            files[one_line(str(value))] = None
        elif kind in (ReadKind.VALUE, ReadKind.BYTES):
            yield value
        else:
            raise error_of(kind, value, [*files], request)
    return False


def file_name(files: Sequence[str]) -> str:
    return files[0] if len(files) == 1 else "one of its files"


def error_of(kind: int, value: Any, files: Sequence[str], request: ReadRequest) -> Exception:
    which = file_name(files)
    match kind, value:
        case ReadKind.REFUSED, str():
            return UnreadableError(value)
        case ReadKind.NO_MEMORY, None:
            return UnreadableError(too_much(files, f"{request.memory >> 20} MB"))
        case ReadKind.TOO_DEEP, None:
            return UnreadableError(f"{which} is nested too deeply to be read")
        case ReadKind.NO_FILE, [int(number), str(message)]:
            return OSError(number, message)
        case ReadKind.NOT_CONFINED, str():
            return CannotConfineError(f"this machine does not let Arena confine readers: {value}")
        case ReadKind.FAILED, str():
            return InternalError(
                f"{request.subject} could not be read, as Arena itself failed, please report it: "
                f"{one_line(value)}"
            )
    return GarbledError()


def too_much(files: Sequence[str], limit: str) -> str:
    if len(files) == 1:
        return f"{files[0]} takes more than {limit} to be read; make it smaller"
    last = f" (it got to {files[-1]})" if files else ""
    return f"its files take more than {limit} to be read{last}; make them fewer, or smaller"
