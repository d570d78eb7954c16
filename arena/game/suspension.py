"""Stopping a bot's processes while it is not its turn, and where it was when it was killed.

Stopped are bots with threads or processes besides the one that answers: what those are up to once
the answer is there nobody knows, and sixty of them leave an opponent little of the core. And bots
that stay seated while others play: a timer could have all of them take their memory at once.

Where a bot was is read from what Python's faulthandler wrote of it. That text, and what the bot
printed, comes out of its process and may be forged: it is shown to the bot's author and decides
nothing.
"""

from __future__ import annotations

import os
import re
import signal
import sysconfig
from pathlib import Path
from time import perf_counter_ns, sleep

from arena.common.text import one_line
from arena.game.bot_process import BotProcess
from arena.game.clock import BotClock
from arena.host.protocol import TRACE_SIGNAL, UNKNOWN

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

Frame = tuple[str, int, str]
"""A line of the bot's own code that was being run: file in its folder, number from 1, function."""


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
        (one_line(path.removeprefix(inside), MAX_NAME), int(line), one_line(name, MAX_NAME))
        for path, line, name in _FRAME.findall(dump.decode("utf-8", "replace"))
        if path.startswith(inside) and len(line) < 9
    ]


def as_traceback(frames: list[Frame]) -> str:
    """Frames as Python prints those of an exception, innermost last."""
    shown = frames[:SHOWN]
    lines = [f'  File "{file}", line {line}, in {function}' for file, line, function in shown]
    return "\n".join(("It was here (most recent call last):", *reversed(lines)))


def without_places(text: str, root: str) -> str:
    """What a bot printed, for its author: paths in its folder `root`, in Python's libraries and in
    Arena are shown from there on, so that they do not tell where those lie on this machine."""
    for folder in (root, *LIBRARIES):
        text = text.replace(f"{folder}{os.sep}", "")
    for folder in (root, os.path.dirname(root)):
        text = text.replace(folder, ".") if folder else text
    return text


LOOK_SECONDS = 0.000_02
"""Interval of looks for threads that have not stopped yet."""

PATIENCE_NS = 2_000_000_000
"""Time for such looks, over all turns of a process: a thread stops when its system call ends or is
broken off, and when it gets a core. One that does not must not cost its opponent hours."""

ALLOWED_NS = 250_000_000
"""CPU that a bot may use from when it has been stopped until it is continued: more than a system
call takes that cannot be broken off, like one that gives back all its memory."""


class Suspension:
    """Stops one bot's processes and continues them."""

    def __init__(self, process: BotProcess, clock: BotClock) -> None:
        self._group = process.pid  # its own until its leader is reaped
        self._shared = process.shared
        self._clock = clock
        self._cpu = 0
        self._patience = PATIENCE_NS
        self.on = False
        """True if they are stopped."""

    def begin(self) -> None:
        """Stop a bot that may not be alone, and return once it does not run any more.

        One thread that runs when it is stopped is not waited for, nor those that sleep: the one
        that answered is about to ask for the next question, and only needs the core to stop.
        """
        clock = self._clock
        if self._shared[0] == UNKNOWN and not (clock.stops or clock.has_threads()):
            return
        awake = clock.awake()
        os.killpg(self._group, signal.SIGSTOP)
        self.on = True
        if awake > 1:
            self._wait()
        self._cpu = clock.used()

    def rest(self) -> bool:
        """Stop a bot that has left the table, whatever timers it has set.

        Returns whether it has stopped: a system call that cannot be broken off may go on.
        """
        os.killpg(self._group, signal.SIGSTOP)
        self.on = True
        return self._wait()

    def _wait(self) -> bool:
        """Wait until nothing of it runs any more; returns whether that is so."""
        began = perf_counter_ns()
        while not (is_at_rest := self._clock.at_rest()):
            if perf_counter_ns() - began >= self._patience:
                break
            sleep(LOOK_SECONDS)
        self._patience -= perf_counter_ns() - began
        return is_at_rest

    def broken(self) -> bool:
        """Return True if they ran though they were to be stopped."""
        return self.on and self._clock.used() - self._cpu > ALLOWED_NS

    def end(self) -> None:
        """Continue them."""
        os.killpg(self._group, signal.SIGCONT)
        self.on = False
