"""Call a function on strangers' files in a process that may only read them.

Arena reads strangers' files nowhere else. The function runs in a fork of the fork server, with
limits of time and memory, or at home in an ordinary process. Its answer is checked like any other
input: the files may have taken over the process.

A file that exceeds a limit, or crashes the process in every attempt, gets an UnreadableError. Other
ends of the process are not the file's fault: it is read again, at most `TRIES` times.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.common.errors import GarbledError
from arena.common.home import at_home
from arena.intake.reading import ReadRequest

if TYPE_CHECKING:
    from arena.intake.fork_reader import ForkServer
    from arena.intake.home_reader import HomeReader


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """CPU seconds, bytes of memory and bytes of the answer."""

    seconds: int
    memory: int
    answer: int


# For one submission of the largest size; most take 0.01 s.
SUBMISSION = ReadLimits(seconds=10, memory=512 << 20, answer=80 << 20)
EXPORT = ReadLimits(seconds=120, memory=2 << 30, answer=2 << 30)  # For the files of a whole class.


def confined(
    function: Callable[..., Any],
    *arguments: Any,
    readable: Sequence[Path],
    modules: Sequence[str] = (),
    limits: ReadLimits = SUBMISSION,
) -> Any:
    """Return the result of `function(at, *arguments)`, called in a confined process.

    The function is a top-level one of Arena; arguments and result are JSON. It can read only
    `readable`, and imports `modules` first. Raises OSError for an unreadable file, UnreadableError
    if the function refuses it or a limit is reached.
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
    yield from _reader(home=at_home()).answers(request, modules, limits.answer)


def start_reader() -> None:
    _reader(home=at_home()).start()


@cache
def _reader(*, home: bool) -> ForkServer | HomeReader:
    reader: ForkServer | HomeReader
    if home:
        from arena.intake import home_reader

        reader = home_reader.HomeReader()
    else:
        from arena.intake import fork_reader  # needs modules that only Linux has

        reader = fork_reader.ForkServer()
    atexit.register(reader.end)
    return reader


def text(value: Any, most: int) -> str:
    """Return a text of at most `most` characters. Raises GarbledError."""
    if not isinstance(value, str) or len(value) > most:
        raise GarbledError
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise GarbledError from None
    return value


def texts(value: Any, most: int, each: int) -> tuple[str, ...]:
    """Return up to `most` texts of up to `each` characters. Raises GarbledError."""
    if not isinstance(value, list) or len(value) > most:
        raise GarbledError
    return tuple(text(item, each) for item in value)
