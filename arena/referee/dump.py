"""Reading where a bot was when it was killed, from what Python's faulthandler wrote of it; and
what its author gets to see of what it printed.

The text comes out of the bot's process and may be forged: it is shown to the bot's author and
decides nothing.
"""

from __future__ import annotations

import os
import re
import signal
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from arena.host.protocol import TRACE_SIGNAL
from arena.quoting import one_line

FATAL = b"Fatal Python error: "
"""The first words of the dump of a crash."""

DUMP_SECONDS, DUMP_LOOKS = 0.002, 250
"""Interval and number of looks for the place that a bot tells: on a busy machine it takes a while
until the bot runs at all."""

MAX_BYTES = 4096
"""Of a dump that are read."""

_PATHS = sysconfig.get_paths()
LIBRARIES = (_PATHS["purelib"], _PATHS["platlib"], _PATHS["stdlib"], _PATHS["platstdlib"],
             str(Path(__file__).parents[2]))  # fmt: skip
"""Folders with Python's own modules, those that are installed, and Arena's; inner ones first."""

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
        if before < last == size or size - before >= MAX_BYTES:
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


def without_places(text: str, root: str) -> str:
    """What a bot printed, for its author: paths in its folder `root`, in Python's libraries and in
    Arena are shown from there on, so that they do not tell where those lie on this machine."""
    for folder in (root, *LIBRARIES):
        text = text.replace(f"{folder}{os.sep}", "")
    for folder in (root, os.path.dirname(root)):
        text = text.replace(folder, ".") if folder else text
    return text
