"""Standard streams and signals of a command: a closed screen or a second Ctrl-C breaks nothing."""

from __future__ import annotations

import io
import os
import signal
import sys
from itertools import count
from typing import IO, Any

PRESSES = 5
"""The interrupt at which a command ends at once, whatever it is still clearing up."""


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals by which people end a command."""


class Unbreakable(io.TextIOWrapper):
    """A stream for what is said on the way: nobody has to listen.

    When its reader has gone, or its disk is full, the rest is dropped and the command goes on.
    """

    def write(self, text: str, /) -> int:
        """Write, or drop what nobody can have."""
        try:
            return super().write(text)
        except OSError:
            drop(self)
            return len(text)

    def flush(self) -> None:
        """Write what is held back, or drop it."""
        try:
            super().flush()
        except OSError:
            drop(self)


def drop(stream: IO[str]) -> None:
    """Send what is still to come on a stream nowhere, and what it holds back."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def prepare_streams() -> None:
    """Have the standard streams take any text, and standard error go on whatever happens to it."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if isinstance(sys.stderr, io.TextIOWrapper) and sys.stderr is sys.__stderr__:
        binary = open(sys.stderr.fileno(), "wb", closefd=False)  # noqa: SIM115 (as long as we live)
        encoding = sys.stderr.encoding
        sys.stderr = Unbreakable(binary, encoding, errors="replace", line_buffering=True)


def prepare_signals() -> None:
    """Have Ctrl-C and a polite kill raise KeyboardInterrupt, once.

    What comes after the first finds the command clearing up, and would leave behind what it has
    not come to. Only the last of PRESSES ends it all the same.
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
    """Let no further interrupt disturb an end that is near: Python itself gives them no handler."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
