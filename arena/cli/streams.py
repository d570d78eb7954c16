"""Standard streams and signals of a command: a closed screen or a second Ctrl-C breaks nothing."""

from __future__ import annotations

import io
import os
import signal
import sys
from itertools import count
from typing import IO, Any

PRESSES = 5
"""Number of interrupts after which a command ends at once, even while it clears up."""

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals by which people end a command."""


class Unbreakable(io.TextIOWrapper):
    """A stream for remarks that nobody has to read.

    When its reader has gone, or its disk is full, the rest is dropped and the command goes on.
    """

    def write(self, text: str, /) -> int:
        """Write, or drop the text if that fails."""
        try:
            return super().write(text)
        except OSError:
            drop(self)
            return len(text)

    def flush(self) -> None:
        """Write what is buffered, or drop it if that fails."""
        try:
            super().flush()
        except OSError:
            drop(self)


def drop(stream: IO[str]) -> None:
    """Send everything that a stream has buffered or will write to the null device."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def prepare_streams() -> None:
    """Let the standard streams take any text, and make standard error unbreakable."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if isinstance(sys.stderr, io.TextIOWrapper) and sys.stderr is sys.__stderr__:
        binary = open(sys.stderr.fileno(), "wb", closefd=False)  # noqa: SIM115 (as long as we live)
        encoding = sys.stderr.encoding
        sys.stderr = Unbreakable(binary, encoding, errors="replace", line_buffering=True)


def prepare_signals() -> None:
    """Make Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt, once.

    Further ones come while the command clears up and are ignored, so that nothing is left behind;
    only the last of PRESSES ends the command at once.
    """
    presses = count(1)

    def interrupted(*_: Any) -> None:
        press = next(presses)
        if press == 1:
            raise KeyboardInterrupt
        if press >= PRESSES:
            os._exit(128 + signal.SIGINT)

    for number in ENDING:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, interrupted)


def ignore_signals() -> None:
    """Ignore further interrupts while the process ends: Python would show a traceback."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
