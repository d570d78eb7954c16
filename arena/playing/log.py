"""A contest's log: everything that happens in the main process and on the lanes.

It is written to arena.log for people, and on demand to arena.jsonl for programs: there each line
is an object with the fields of `as_object`. A lane says once a game what it plays, see `about`,
and every record made meanwhile carries that. Only the main process writes: what its lanes log
reaches the same handlers through a `Relay` for each of them.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from multiprocessing_logging import MultiProcessingHandler

from arena.common.errors import unwritable
from arena.common.text import one_line

MAX_LINE = 10_000
"""Characters of a line of arena.log; an exception's lines follow it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogContext:
    """The circumstances in which a record is made, as far as they are known."""

    key: str | None = None
    """Digest of the key of the game that is being played."""

    lane: int | None = None
    """The core of the lane."""

    worker: str | None = None
    """The machine that the lane is on."""

    bots: tuple[str, ...] | None = None
    """Names of the bots, the one that moves first in front."""


RELAYING = "arena log"
"""Name of the threads that pass on what other processes log."""

NOTHING_KNOWN = LogContext()

_context: ContextVar[LogContext] = ContextVar("arena.log", default=NOTHING_KNOWN)


@contextmanager
def about(**known: Any) -> Iterator[None]:
    """Put these fields of a LogContext on every record made in the block."""
    token = _context.set(replace(_context.get(), **known))
    try:
        yield
    finally:
        _context.reset(token)


def set_place(lane: int) -> None:
    """Put the lane and this machine's name on every record that this process makes from now on."""
    _context.set(LogContext(lane=lane, worker=this_machine()))


def this_machine() -> str:
    """Return the name by which the log calls this machine."""
    return os.uname().nodename


@contextmanager
def logged(
    path: Path, *handlers: logging.Handler, contest: str | None = None, json_log: Path | None = None
) -> Iterator[None]:
    """Send the records of Arena's loggers to a file, to these handlers, and to a JSON file.

    Those of lanes come by their `Relay`. The `contest` is its name in the JSON file. Raises
    OSError, and for that file InputError and StorageError.
    """
    files = [_LineFile(path, _LogLine("%(asctime)s %(levelname)s %(name)s %(message)s"))]
    if json_log is not None:
        try:
            files.append(_LineFile(json_log, _JsonLine()))
        except OSError as error:
            raise unwritable(json_log, error) from None
    with _sent_to([*files, *handlers], contest):
        yield


class Relay:
    """The way of a forked process's records to the handlers of the process that forked it.

    Each has a queue of its own: one that is killed while it writes holds up no other. Make it right
    before the fork; then the one process calls `send_here`, the other `fork_done` and, once the
    fork has ended, `close`.
    """

    def __init__(self) -> None:
        self._handler = MultiProcessingHandler(RELAYING, _Again())

    def send_here(self) -> None:
        """Send this process's records by it, and nowhere else."""
        self._handler.addFilter(_Stamp(None))
        logger = logging.getLogger("arena")
        logger.propagate = False
        logger.handlers = [self._handler]

    def fork_done(self) -> None:
        """Let go of the end that the fork writes to: when that ends, no further record comes."""
        self._handler.queue._writer.close()

    def close(self) -> None:
        """Pass on what is left, once the fork has ended."""
        self._handler.close()


class _Again(logging.Handler):
    """Logs records of another process as if they were this one's."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log the record."""
        logging.getLogger(record.name).handle(record)


@contextmanager
def captured() -> Iterator[list[dict[str, Any]]]:
    """Collect what Arena's loggers say in the block, as `as_object` makes it, and say it nowhere.

    It can travel to another process, which logs it with `log_again`.
    """
    collector = _Collector()
    with _sent_to([collector], None):
        yield collector.objects


def log_again(objects: Iterable[Mapping[str, Any]]) -> None:
    """Log records that were `captured` in another process, with their own times and contexts."""
    levels = logging.getLevelNamesMapping()
    for each in objects:
        bots = each["bots"]
        record = logging.makeLogRecord(
            {
                "name": each["logger"],
                "msg": each["message"],
                "levelname": each["level"],
                "levelno": levels[each["level"]],
                "created": datetime.fromisoformat(each["time"]).timestamp(),
                "exc_text": each["exception"],
                "context": LogContext(
                    key=each["key"],
                    lane=each["lane"],
                    worker=each["worker"],
                    bots=None if bots is None else tuple(bots),
                ),
            }
        )
        logging.getLogger(record.name).handle(record)


def as_object(record: logging.LogRecord) -> dict[str, Any]:
    """Return a record that passed a handler as plain values; None for what is not known.

    The fields are time (UTC, ISO 8601), level, logger, message, contest, key, lane, worker, bots
    and exception.
    """
    if record.exc_info and not record.exc_text:
        record.exc_text = logging.Formatter().formatException(record.exc_info)
    facts = vars(record)
    context: LogContext = facts["context"]
    return {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds"),
        "level": record.levelname,
        "logger": record.name,
        "message": _encodable(record.getMessage()),
        "contest": facts["contest"] and _encodable(facts["contest"]),
        "key": context.key,
        "lane": context.lane,
        "worker": context.worker,
        "bots": context.bots and [_encodable(name) for name in context.bots],
        "exception": record.exc_text and _encodable(record.exc_text),
    }


def _encodable(text: str) -> str:
    """Return the text with lone surrogates, which no encoding has, spelled out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@contextmanager
def _sent_to(handlers: list[logging.Handler], contest: str | None) -> Iterator[None]:
    """Send the records of Arena's loggers to these handlers alone, and close them afterwards."""
    logger = logging.getLogger("arena")
    level, propagate, before = logger.level, logger.propagate, logger.handlers
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.handlers = handlers
    for handler in handlers:
        handler.addFilter(_Stamp(contest))
    try:
        yield
    finally:
        for handler in handlers:
            handler.close()
        logger.setLevel(level)
        logger.propagate, logger.handlers = propagate, before


class _Stamp(logging.Filter):
    """Puts the contest and the context on records, unless they bring a context from elsewhere."""

    def __init__(self, contest: str | None) -> None:
        super().__init__()
        self._contest = contest

    def filter(self, record: logging.LogRecord) -> bool:
        """Stamp the record, and let it pass."""
        record.contest = self._contest
        vars(record).setdefault("context", _context.get())
        return True


class _Collector(logging.Handler):
    """Keeps records in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.objects: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the record."""
        self.objects.append(as_object(record))


class _LineFile(logging.Handler):
    """Appends records to a file, each whole or not at all.

    Where it cannot be written they are missing, and that is all.
    """

    def __init__(self, path: Path, formatter: logging.Formatter) -> None:
        """Raises OSError."""
        super().__init__()
        self.setFormatter(formatter)
        self._file = path.open("ab", buffering=0)

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record; a full disk is said where a game cannot be kept."""
        try:
            line = _encodable(f"{self.format(record)}\n").encode()
            with suppress(OSError):
                written = self._file.write(line)
                if written < len(line):  # the disk is full, and half a line is no line
                    self._file.truncate(self._file.tell() - written)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


class _LogLine(logging.Formatter):
    """Formats records for people; a message stays one line, whatever a stranger's name holds."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line, which an exception's lines may follow."""
        return one_line(super().formatMessage(record), MAX_LINE)


class _JsonLine(logging.Formatter):
    """Formats records as JSON objects, a line each, all of it ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return json.dumps(as_object(record))
