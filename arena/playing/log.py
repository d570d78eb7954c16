"""A contest's log: events of the main process and the lanes.

arena.log is for people; arena.jsonl, if wanted, has an object like `as_object` in each line. A lane
states its game once (`about`), and all its records include the game. Only the main process writes;
lanes send their records through a `Relay`.
"""

from __future__ import annotations

import json
import logging
import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from multiprocessing_logging import MultiProcessingHandler

from arena.common.errors import writing
from arena.common.text import one_line

MAX_LINE = 10_000  # Most characters of a line of arena.log; an exception's lines may be longer.


@dataclass(frozen=True, slots=True, kw_only=True)
class LogContext:
    key: str | None = None
    lane: int | None = None
    worker: str | None = None
    bots: tuple[str, ...] | None = None
    """Names; the bot that moves first is first."""


RELAYING = "arena log"  # Name of the threads that forward other processes' records.
NOTHING_KNOWN = LogContext()
_context: ContextVar[LogContext] = ContextVar("arena.log", default=NOTHING_KNOWN)


@contextmanager
def about(**known: Any) -> Iterator[None]:
    """Add these fields of a LogContext to every record in the block."""
    token = _context.set(replace(_context.get(), **known))
    try:
        yield
    finally:
        _context.reset(token)


def set_place(lane: int) -> None:
    _context.set(LogContext(lane=lane, worker=this_machine()))


def this_machine() -> str:
    return platform.node()


def this_place() -> str | None:
    """Return machine and core of this lane, `lab3/5`; None in other processes."""
    lane = _context.get().lane
    return None if lane is None else f"{this_machine().partition('.')[0]}/{lane}"


@contextmanager
def logged(
    path: Path, *handlers: logging.Handler, contest: str | None = None, json_log: Path | None = None
) -> Iterator[None]:
    """Write the block's records to `path`, these handlers and `json_log`.

    Raises OSError; for the JSON file InputError and StorageError.
    """
    files = [_LineFile(path, _LogLine("%(asctime)s %(levelname)s %(name)s %(message)s"))]
    if json_log is not None:
        with writing(json_log):
            files.append(_LineFile(json_log, _JsonLine()))
    with _sent_to([*files, *handlers], contest):
        yield


class Relay:
    """Sends a forked process's records to the parent's handlers.

    Each lane has its own relay and queue, because a process that is killed while writing blocks its
    queue. Create the relay just before the fork. Then the child calls `send_here`; the parent calls
    `fork_done`, and `close` when the child has ended.
    """

    def __init__(self) -> None:
        self._handler = MultiProcessingHandler(RELAYING, _Again())

    def send_here(self) -> None:
        """Send this process's records through the relay and nowhere else."""
        self._handler.addFilter(_Stamp(None))
        logger = logging.getLogger("arena")
        logger.propagate = False
        logger.handlers = [self._handler]

    def fork_done(self) -> None:
        """Close the child's end of the queue, so that the child's exit ends the queue."""
        self._handler.queue._writer.close()

    def close(self) -> None:
        self._handler.close()


class _Again(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        logging.getLogger(record.name).handle(record)


@contextmanager
def captured() -> Iterator[list[logging.LogRecord]]:
    """Collect the block's records, made fit for another process; log none."""
    collector = _Collector()
    with _sent_to([collector], None):
        yield collector.records


def log_again(records: Iterable[logging.LogRecord]) -> None:
    for record in records:
        logging.getLogger(record.name).handle(record)


def as_object(record: logging.LogRecord) -> dict[str, Any]:
    """Return a handled record as plain values; None for a value that is unknown.

    Fields: time (UTC, ISO 8601), level, logger, message, contest, key, lane, worker, bots,
    exception.
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
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@contextmanager
def _sent_to(handlers: list[logging.Handler], contest: str | None) -> Iterator[None]:
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
    def __init__(self, contest: str | None) -> None:
        super().__init__()
        self._contest = contest

    def filter(self, record: logging.LogRecord) -> bool:
        record.contest = self._contest
        vars(record).setdefault("context", _context.get())
        return True


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        as_object(record)  # keeps an exception as text
        record.msg, record.args, record.exc_info = record.getMessage(), None, None
        self.records.append(record)


class _LineFile(logging.Handler):
    """Appends records to a file, each completely or not at all; ignores write errors."""

    def __init__(self, path: Path, formatter: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self._file = path.open("ab", buffering=0)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = _encodable(f"{self.format(record)}\n").encode()
            with suppress(OSError):
                written = self._file.write(line)
                if written < len(line):  # the disk is full: remove the half line
                    self._file.truncate(self._file.tell() - written)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        self._file.close()
        super().close()


class _LogLine(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:
        return one_line(super().formatMessage(record), MAX_LINE)


class _JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(as_object(record))
