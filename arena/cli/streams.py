"""Standard streams and signals that survive a closed screen or a second Ctrl-C."""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
from itertools import count
from typing import IO, Any
from unicodedata import normalize

from arena.common.system import ENDING

PRESSES = 5  # Interrupts after which a command ends at once, even while it cleans up.

# Characters for those that a stream's encoding lacks, such as cp1252 in Windows' files. Boards and
# tables keep their columns.
PLAIN = str.maketrans("→←▲▼−–—·×±│┃║─━═●○✓µ", "><^v---.x~|||---XO*u") | {ord("½"): ".5"}
PLAINER = "arena.plain"  # Name of the error handler that uses them.


def _plainer(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(PLAIN)
    simple = (normalize("NFKD", each).encode("ascii", "ignore").decode() or "?" for each in text)
    return "".join(simple), error.end


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
    codecs.register_error(PLAINER, _plainer)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if stream is sys.stdin else PLAINER)
    if isinstance(sys.stderr, io.TextIOWrapper) and sys.stderr is sys.__stderr__:
        binary = open(sys.stderr.fileno(), "wb", closefd=False)  # noqa: SIM115 (as long as we live)
        encoding = sys.stderr.encoding
        sys.stderr = Unbreakable(binary, encoding, errors=PLAINER, line_buffering=True)


def prepare_signals() -> None:
    """Make the first Ctrl-C, SIGTERM or SIGHUP raise KeyboardInterrupt.

    Further signals are ignored while the command cleans up; number PRESSES ends it at once.
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
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
