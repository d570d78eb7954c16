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

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.left = OUTPUT_CAP  # bytes that will still be kept

    def fileno(self) -> int:
        return self._fd

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        """Write what fits; never fails."""
        view = memoryview(data)
        if self.left > 0:
            try:
                os.write(self._fd, view[: self.left])
            except OSError:
                self.left = 0
        self.left -= len(view)
        return len(view)

    def new_game(self) -> None:
        with suppress(OSError):  # the bot may have closed the descriptor
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.ftruncate(self._fd, 0)
        self.left = OUTPUT_CAP


class CappedText(io.TextIOBase):
    """A line-buffered text stream over CappedBytes. Dropping text costs little."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, fd: int) -> None:
        self.buffer = CappedBytes(fd)
        self._line = ""

    def fileno(self) -> int:
        return self.buffer.fileno()

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if self.buffer.left > 0:
            self._line += text
            if "\n" in text or len(self._line) > OUTPUT_CAP:
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self._line:
            line, self._line = self._line, ""
            self.buffer.write(line.encode(self.encoding, self.errors))

    def new_game(self) -> None:
        self._line = ""
        self.buffer.new_game()


def capture() -> CappedText:
    """Make standard output and error one stream, capped and on descriptor 1."""
    stream = CappedText(1)
    sys.stdout = sys.stderr = stream
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 (lives as long as the process)
    return stream
