"""Command lines at a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from support.command_line import started

PATIENCE_SECONDS = 120
END_OF_INPUT = "\x04"  # Ctrl-D.


class AtTerminal:
    """A command with its own terminal."""

    def __init__(self, process: subprocess.Popen[str], terminal: int) -> None:
        self._process = process
        self._terminal = terminal
        self.seen = ""
        """All that it has printed."""

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
        """Send a signal; Ctrl-C is SIGINT."""
        self._process.send_signal(number)

    def end(self) -> int:
        """Wait for the end; return the exit code."""
        while self._read():
            pass
        return self._process.wait(PATIENCE_SECONDS)

    def _read(self) -> bool:
        """Read more output; return False at its end."""
        if not select.select([self._terminal], [], [], PATIENCE_SECONDS)[0]:
            return False
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self.seen += data.decode()
        return bool(data)


@contextmanager
def at_terminal(*words: object, cwd: Path, kind: str = "xterm-256color") -> Iterator[AtTerminal]:
    """Run a command line at a terminal of 80 × 24 characters."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    environment |= {"TERM": kind, "COLORTERM": ""}
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    try:
        with started(*words, cwd=cwd, env=environment, **streams) as process:
            os.close(theirs)
            yield AtTerminal(process, ours)
    finally:
        os.close(ours)
