"""The output of a bot: stored up to a cap, then silently dropped."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any

OUTPUT_CAP = 256 << 10  # Bytes kept of a bot's output in one game.


class CappedBytes(io.RawIOBase):
    """Writes up to OUTPUT_CAP bytes per game to a descriptor, and drops the rest."""

    name = "<stdout>"

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._left = OUTPUT_CAP  # bytes that will still be kept

    def fileno(self) -> int:
        return self._fd

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        """Stay open: a bot may close its output, and prints again in its next game."""

    def write(self, data: Any, /) -> int:
        """Write what fits; never fails."""
        if self._left > 0:
            try:
                os.write(self._fd, data[: self._left])
                self._left -= len(data)
            except OSError:
                self._left = 0
        return len(data)

    def new_game(self) -> None:
        with suppress(OSError):  # the bot may have closed the descriptor
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.ftruncate(self._fd, 0)
        self._left = OUTPUT_CAP


class Output(io.TextIOWrapper):
    """A line-buffered text stream over CappedBytes."""

    def __init__(self, fd: int) -> None:
        self._bytes = CappedBytes(fd)
        super().__init__(self._bytes, "utf-8", "backslashreplace", "\n", line_buffering=True)

    def new_game(self) -> None:
        self.flush()
        self._bytes.new_game()


def capture() -> Output:
    """Make standard output and error one stream, capped and on descriptor 1."""
    stream = Output(1)
    sys.stdout = sys.stderr = stream
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 (lives as long as the process)
    return stream
