"""Command lines at a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import termios
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic, sleep

from support.command_line import forked

PATIENCE_SECONDS = 120
END_OF_INPUT = "\x04"  # Ctrl-D.


class AtTerminal:
    """A command with its own terminal."""

    def __init__(self, process: BaseProcess, terminal: int, end: int) -> None:
        """`end` is the command's end of the terminal; it is closed after the first output."""
        self._process = process
        self._terminal = terminal
        self._end: int | None = end
        self._decoder = getincrementaldecoder("utf-8")()  # a read may end inside a character
        self.seen = ""
        """All that it has printed."""

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def see(self, text: str) -> str:
        """Wait for `text`; return everything printed since the last call."""
        deadline = monotonic() + PATIENCE_SECONDS
        start = len(self.seen)
        while text not in self.seen[start:]:
            assert monotonic() < deadline and self._read(), f"no {text!r} in {self.seen[start:]!r}"
        return self.seen[start:]

    def type(self, line: str) -> None:
        """Type a line and Enter."""
        os.write(self._terminal, f"{line}\n".encode())

    def press(self, key: str) -> None:
        os.write(self._terminal, key.encode())

    def send(self, number: int) -> None:
        """Send a signal once the command sleeps; Ctrl-C is SIGINT.

        Python would not notice a signal just before it begins to wait for a line.
        """
        stat = Path(f"/proc/{self.pid}/stat")
        deadline = monotonic() + PATIENCE_SECONDS
        while stat.read_text().rpartition(")")[2].split()[0] != "S" and monotonic() < deadline:
            sleep(0.01)
        os.kill(self.pid, number)

    def end(self) -> int | None:
        """Wait for the end; return the exit code."""
        while self._read():
            pass
        self._process.join(PATIENCE_SECONDS)
        return self._process.exitcode

    def _read(self) -> bool:
        """Read more output; return False at its end."""
        if not select.select([self._terminal], [], [], PATIENCE_SECONDS)[0]:
            return False
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:  # the other end is closed
            return False
        if self._end is not None:  # the command has opened its own
            os.close(self._end)
            self._end = None
        self.seen += self._decoder.decode(data)
        return bool(data)


@contextmanager
def at_terminal(*words: object, cwd: Path, kind: str = "xterm-256color") -> Iterator[AtTerminal]:
    """Run a command line at a terminal of 80 × 24 characters."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    environment |= {"TERM": kind, "COLORTERM": ""}
    terminal = os.ttyname(theirs)
    process = forked(words, cwd, environment, (terminal, terminal, terminal))
    try:
        yield AtTerminal(process, ours, theirs)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        os.close(ours)
