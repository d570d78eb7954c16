"""Standard streams and signals that survive a closed screen or a second Ctrl-C."""

from __future__ import annotations

import io
import os
import signal
import sys
from itertools import count
from typing import IO, Any

PRESSES = 5  # Interrupts after which a command ends at once, even while it cleans up.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Unbreakable(io.TextIOWrapper):
    """A stream that drops its text if the reader has gone or the disk is full."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError:
            drop(self)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            drop(self)


def drop(stream: IO[str]) -> None:
    """Send a stream's buffered and later text to the null device."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def prepare_streams() -> None:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if isinstance(sys.stderr, io.TextIOWrapper) and sys.stderr is sys.__stderr__:
        binary = open(sys.stderr.fileno(), "wb", closefd=False)  # noqa: SIM115 (as long as we live)
        encoding = sys.stderr.encoding
        sys.stderr = Unbreakable(binary, encoding, errors="replace", line_buffering=True)


def prepare_signals() -> None:
    """Make the first Ctrl-C, SIGTERM or SIGHUP raise KeyboardInterrupt.

    While the command then cleans up, further signals are ignored; only signal number PRESSES ends
    the process at once.
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
    """Ignore these signals while the process ends."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
