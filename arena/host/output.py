"""The output of a bot: kept up to a cap, then dropped without a word to the bot."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any

OUTPUT_CAP = 256 << 10
"""Bytes kept of what a bot prints in one game."""


class CappedBytes(io.RawIOBase):
    """Writes to a descriptor until OUTPUT_CAP bytes of a game, then only pretends to."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.left = OUTPUT_CAP  # bytes that will still be kept

    def fileno(self) -> int:
        """The descriptor, for code that wants to go around this class."""
        return self._fd

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: Any, /) -> int:
        """Never fails for the bot; returns the length of `data`."""
        view = memoryview(data)
        if self.left > 0:
            try:
                os.write(self._fd, view[: self.left])
            except OSError:
                self.left = 0
        self.left -= len(view)
        return len(view)

    def new_game(self) -> None:
        """Start the file over."""
        with suppress(OSError):  # the bot may have closed it
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.ftruncate(self._fd, 0)
        self.left = OUTPUT_CAP


class CappedText(io.TextIOBase):
    """A text stream over CappedBytes, written through at every line; dropping costs little."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, fd: int) -> None:
        self.buffer = CappedBytes(fd)
        self._line = ""

    def fileno(self) -> int:
        """The descriptor."""
        return self.buffer.fileno()

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str, /) -> int:
        """Keep the text if there is room for it."""
        if self.buffer.left > 0:
            self._line += text
            if "\n" in text or len(self._line) > OUTPUT_CAP:
                self.flush()
        return len(text)

    def flush(self) -> None:
        """Write an unfinished line."""
        if self._line:
            line, self._line = self._line, ""
            self.buffer.write(line.encode(self.encoding, self.errors))

    def new_game(self) -> None:
        """Forget what the last game printed."""
        self._line = ""
        self.buffer.new_game()


def capture() -> CappedText:
    """Make standard output and error one capped stream on descriptor 1."""
    stream = CappedText(1)
    sys.stdout = sys.stderr = stream
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 (lives as long as the process)
    return stream
