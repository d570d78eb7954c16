"""Reading where a bot was when it was killed, from what Python's faulthandler wrote of it.

The text comes out of the bot's process and may be forged: it is shown to the bot's author and
decides nothing.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from arena.quoting import one_line

FATAL = b"Fatal Python error: "
"""How the dump of a crash begins."""

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
