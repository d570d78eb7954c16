"""A contest's log: everything that happens in the main process and on the lanes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from multiprocessing_logging import install_mp_handler, uninstall_mp_handler


class _LogFile(logging.FileHandler):
    """A file of records. Where it cannot be written they are missing, and that is all."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Go on: a full disk is said where a game cannot be kept."""


@contextmanager
def logged(path: Path, *handlers: logging.Handler) -> Iterator[None]:
    """Send the records of Arena's loggers to a file, and to these handlers.

    Those of the lanes that are forked inside the block are among them.
    """
    logger = logging.getLogger("arena")
    before = logger.level, logger.propagate, logger.handlers[:]
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.handlers.clear()
    file = _LogFile(path, encoding="utf-8")
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for handler in (file, *handlers):
        logger.addHandler(handler)
    install_mp_handler(logger)
    wrapped: list[Any] = list(logger.handlers)
    for handler in wrapped:
        # a lane that is killed while it writes a record must not keep this process from ending
        handler.queue.cancel_join_thread()
    try:
        yield
    finally:
        for handler in wrapped:
            handler.close()
        uninstall_mp_handler(logger)
        logger.level, logger.propagate, logger.handlers[:] = before
