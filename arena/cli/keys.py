"""Single keys of a terminal, read as they are pressed."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import tty
from collections import deque
from enum import StrEnum
from types import TracebackType

REST_SECONDS = 0.05
"""Seconds in which the rest of a key arrives that a terminal sends as several characters."""

SENT = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|.", re.DOTALL)
"""A key as terminals send it."""

BEGUN = ("\x1b", "\x1b[", "\x1bO")
"""The beginnings of keys that are sent as several characters."""


class Key(StrEnum):
    """Keys that have a name. Others are called by what they send."""

    LEFT = "left"
    RIGHT = "right"
    HOME = "home"
    END = "end"
    ESCAPE = "\x1b"
    CLOSED = "\x04"
    """Comes once the terminal has gone; Ctrl-D sends it too."""


NAMES = {
    **dict.fromkeys(("\x1b[D", "\x1bOD"), Key.LEFT),
    **dict.fromkeys(("\x1b[C", "\x1bOC"), Key.RIGHT),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"), Key.HOME),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"), Key.END),
}
"""What terminals send for keys with a name."""


class Keys:
    """The keys of standard input. A context manager: inside it no key is shown, or waits for Enter.

    Ctrl-C still interrupts; Ctrl-Z does not, as it would leave a shell with this terminal's state.
    """

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._pressed: deque[str] = deque()

    def __enter__(self) -> Keys:
        self._before = termios.tcgetattr(self._file)
        tty.setcbreak(self._file)
        changed = termios.tcgetattr(self._file)
        changed[6][termios.VSUSP] = b"\0"
        termios.tcsetattr(self._file, termios.TCSANOW, changed)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        termios.tcsetattr(self._file, termios.TCSANOW, self._before)

    def next(self, seconds: float) -> str | None:
        """Return the next key that is pressed; None if there is none in that time."""
        if not self._pressed and self._is_ready(seconds):
            sent = self._read()
            if not sent:
                return Key.CLOSED
            while sent.endswith(BEGUN) and self._is_ready(REST_SECONDS):
                sent += self._read()
            self._pressed.extend(NAMES.get(key, key) for key in SENT.findall(sent))
        return self._pressed.popleft() if self._pressed else None

    def _is_ready(self, seconds: float) -> bool:
        return bool(select.select([self._file], [], [], seconds)[0])

    def _read(self) -> str:
        try:
            return os.read(self._file, 1024).decode(errors="replace")
        except OSError:  # the other end of the terminal is closed
            return ""
