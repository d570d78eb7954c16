"""Where log records go: everything to the contest's log, warnings to the console too."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from multiprocessing_logging import install_mp_handler, uninstall_mp_handler
from rich.console import Console


class _ConsoleHandler(logging.Handler):
    """One line on the console a record, above a live display if there is one."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.print(record.getMessage(), style="yellow", markup=False, highlight=False)


class _LogFile(logging.FileHandler):
    """A file of records. Where it cannot be written they are missing, and that is all."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Go on: a full disk is said where a game cannot be kept."""


@contextmanager
def logged(path: Path, console: Console) -> Iterator[logging.Logger]:
    """Arena's logger, with the records of the lanes that are forked inside the block."""
    logger = logging.getLogger("arena")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    before = logger.handlers[:]
    logger.handlers.clear()
    file = _LogFile(path, encoding="utf-8")
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger.addHandler(file)
    logger.addHandler(_ConsoleHandler(console))
    install_mp_handler(logger)
    wrapped: list[Any] = list(logger.handlers)
    for handler in wrapped:
        # a lane that is killed while it writes a record must not keep this process from ending
        handler.queue.cancel_join_thread()
    try:
        yield logger
    finally:
        for handler in wrapped:
            handler.close()
        uninstall_mp_handler(logger)
        logger.handlers[:] = before
