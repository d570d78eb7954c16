"""Reading where a bot was when it was killed, from what Python's faulthandler wrote of it.

The text comes out of the bot's process and may be forged: it is shown to the bot's author and
decides nothing.
"""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass
from time import sleep

from arena.host.protocol import TRACE_SIGNAL
from arena.quoting import one_line

FATAL = b"Fatal Python error: "
"""How the dump of a crash begins."""

DUMP_SECONDS, DUMP_LOOKS = 0.002, 25
"""How often, and how many times, to look whether a bot has told where it is."""

MAX_BYTES = 4096
"""Of a dump that are read."""

MAX_NAME = 80
SHOWN = 20
"""Innermost frames that are shown."""

_FRAME = re.compile(r'^ *File "(.+)", line (\d+) in (.+)$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of the bot's own code that was being run."""

    file: str
    """Relative to the bot's folder."""

    line: int
    """Its number, from 1."""

    function: str
    """The function it is in."""


def ask_for(pid: int, output: int) -> bytes:
    """Have a bot's process write where it is, and take that out of its output again.

    Empty if it does not within DUMP_LOOKS.
    """
    before = size = os.fstat(output).st_size
    os.kill(pid, TRACE_SIGNAL)
    os.killpg(pid, signal.SIGCONT)  # or one that is stopped would not get it
    for _ in range(DUMP_LOOKS):
        sleep(DUMP_SECONDS)
        last, size = size, os.fstat(output).st_size
        if before < last == size:
            break
    dump = os.pread(output, MAX_BYTES, before)
    os.ftruncate(output, before)
    return dump


def own_frames(dump: bytes, root: str) -> list[Frame]:
    """The frames of files in `root`, innermost first; other folders say nothing to a student."""
    inside = root.encode("ascii", "backslashreplace").decode() + os.sep
    return [
        Frame(one_line(path.removeprefix(inside), MAX_NAME), int(line), one_line(name, MAX_NAME))
        for path, line, name in _FRAME.findall(dump.decode("utf-8", "replace"))
        if path.startswith(inside) and len(line) < 9
    ]


def as_traceback(frames: list[Frame]) -> str:
    """Frames as Python prints those of an exception, innermost last."""
    lines = [f'  File "{f.file}", line {f.line}, in {f.function}' for f in frames[:SHOWN]]
    return "\n".join(("It was here (most recent call last):", *reversed(lines)))
