"""Stopping a bot's processes outside its turn, and finding the line that it ran.

Bots with more than one thread could compute in the opponent's turn and leave it little of the core.
Bots that stay loaded while others play could all take their memory at once, by a timer. So both are
stopped.

The line comes from Python's faulthandler in the bot's own process and may be forged. It is shown to
the bot's author and decides nothing.
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

FATAL = b"Fatal Python error: "  # First words of a crash dump.

# Interval and number of looks for a bot's dump; many, as a bot on a busy machine gets a core late.
DUMP_SECONDS, DUMP_LOOKS = 0.002, 250
MAX_BYTES = 4096  # Most bytes read of a dump.
_PATHS = sysconfig.get_paths()
# Folders of Python, installed packages and Arena; inner folders first.
LIBRARIES = (_PATHS["purelib"], _PATHS["platlib"], _PATHS["stdlib"], _PATHS["platstdlib"],
             str(Path(__file__).parents[2]))  # fmt: skip

MAX_NAME = 80
SHOWN = 20  # Most frames shown; the innermost ones.
_FRAME = re.compile(r'^ *File "(.+)", line (\d+) in (.+)$', re.MULTILINE)

# A running line of the bot's own code: (file in its folder, line from 1, function).
Frame = tuple[str, int, str]


def dump_stack(pid: int, output: int) -> bytes:
    """Make a bot's process print its stack; cut this from the output and return it.

    Empty if nothing appears within DUMP_LOOKS looks.
    """
    before = size = os.fstat(output).st_size
    os.kill(pid, TRACE_SIGNAL)
    os.killpg(pid, signal.SIGCONT)  # a stopped process would not handle it
    for _ in range(DUMP_LOOKS):
        sleep(DUMP_SECONDS)
        last, size = size, os.fstat(output).st_size
        if before < last == size or size - before >= MAX_BYTES:
            break
    dump = os.pread(output, MAX_BYTES, before)
    os.ftruncate(output, before)
    return dump


def own_frames(dump: bytes, root: str) -> list[Frame]:
    """Return a dump's frames in files of `root`, innermost first."""
    inside = root.encode("ascii", "backslashreplace").decode() + os.sep
    return [
        (one_line(path.removeprefix(inside), MAX_NAME), int(line), one_line(name, MAX_NAME))
        for path, line, name in _FRAME.findall(dump.decode("utf-8", "replace"))
        if path.startswith(inside) and len(line) < 9
    ]


def format_frames(frames: list[Frame]) -> str:
    shown = frames[:SHOWN]
    lines = [f'  File "{file}", line {line}, in {function}' for file, line, function in shown]
    return "\n".join(("It was here (most recent call last):", *reversed(lines)))


def hide_paths(text: str, root: str) -> str:
    """Return a bot's output without the paths of this machine's folders."""
    for folder in (root, *LIBRARIES):
        text = text.replace(f"{folder}{os.sep}", "")
    for folder in (root, os.path.dirname(root)):
        text = text.replace(folder, ".") if folder else text
    return text


LOOK_SECONDS = 0.000_02  # Seconds between two looks for threads that have not stopped yet.

# Time for such looks over all turns of a process. A thread stops once its system call has ended or
# been interrupted and it gets a core. A thread that does not stop must not cost the opponent hours.
PATIENCE_NS = 2_000_000_000

# CPU that a bot may use while it is stopped: more than an uninterruptible system call takes, such
# as one that frees all its memory.
ALLOWED_NS = 250_000_000


class Suspension:
    def __init__(self, process: BotProcess, clock: BotClock) -> None:
        self._group = process.pid  # group id, reserved until the group's leader is reaped
        self._shared = process.shared
        self._clock = clock
        self._cpu = 0
        self._patience = PATIENCE_NS
        self.on = False  # the processes are stopped

    def begin(self) -> None:
        """Stop a bot that may have other threads; return once they no longer run.

        Does not wait if only one thread runs: that thread is about to read the next request.
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
        """Stop a bot outside the current game; return False if a thread does not stop."""
        os.killpg(self._group, signal.SIGSTOP)
        self.on = True
        return self._wait()

    def _wait(self) -> bool:
        began = perf_counter_ns()
        while not (is_at_rest := self._clock.at_rest()):
            if perf_counter_ns() - began >= self._patience:
                break
            sleep(LOOK_SECONDS)
        self._patience -= perf_counter_ns() - began
        return is_at_rest

    def broken(self) -> bool:
        """Return True if the bot's processes computed although they were stopped."""
        return self.on and self._clock.used() - self._cpu > ALLOWED_NS

    def end(self) -> None:
        os.killpg(self._group, signal.SIGCONT)
        self.on = False
