"""What a bot prints: kept up to a cap, then dropped without a word to the bot."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

OUTPUT_CAP = 256 << 10
"""Bytes kept of what a bot prints in one game."""


class CappedOutput(io.RawIOBase):
    """Writes to a descriptor until OUTPUT_CAP bytes of a game, then only pretends to."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._left = OUTPUT_CAP

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: Any, /) -> int:
        """Never fails for the bot; returns the length of `data`."""
        view = memoryview(data)
        if self._left > 0:
            try:
                os.write(self._fd, view[: self._left])
            except OSError:
                self._left = 0
        self._left -= len(view)
        return len(view)

    def new_game(self) -> None:
        """Start the file over."""
        if self._left < OUTPUT_CAP:
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.ftruncate(self._fd, 0)
            self._left = OUTPUT_CAP


def capture() -> CappedOutput:
    """Make standard output and error one capped stream on descriptor 1."""
    raw = CappedOutput(1)
    # the cast is true: TextIOWrapper needs no more of its buffer than RawIOBase has
    stream = io.TextIOWrapper(
        io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )
    sys.stdout = sys.stderr = stream
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 (lives as long as the process)
    return raw
