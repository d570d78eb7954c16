"""How long people wait for commands: for help, for a contest's first game, for a check.

The commands run as they are typed, on the cores that this process may use. Where Python is kept
from writing compiled modules and none are there, as in some containers' checkouts, everything
takes twice as long: `python -m compileall arena` makes them.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter, sleep

from arena.errors import MachineError
from arena.intake.house import demo_bots
from arena.interfaces.pick_move import STARTER

LOOK_SECONDS = 0.005
"""Seconds between two looks at a contest's log."""

PLAYING = " playing "
"""What the log says just before the first game."""

SEARCHING = ("lookahead", "threats")
"""Demo bots that think: of every ten bots of a class one each."""

ENDLESS = "def pick_move(rack):\n    while True:\n        pass\n"


def help_seconds() -> float:
    """Return how long `arena --help` takes."""
    return _seconds("--help")


def first_game_seconds(bots: int) -> float:
    """Return how long `arena run` of so many bots, in a new folder, takes to its first game."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "contest" / "arena.log"
        words = "run", str(_class_of(bots, Path(scratch))), "--out", str(log.parent)
        started = perf_counter()
        with _typed(*words) as process:
            while PLAYING not in _text(log):
                if process.poll() is not None:
                    raise MachineError(f"arena run ended before its first game: {_text(log)}")
                sleep(LOOK_SECONDS)
            seconds = perf_counter() - started
            process.send_signal(signal.SIGINT)
        return seconds


def check_seconds(bots: int) -> float:
    """Return how long `arena check` of so many bots takes."""
    with tempfile.TemporaryDirectory() as scratch:
        return _seconds("check", str(_class_of(bots, Path(scratch))))


def endless_check_seconds() -> float:
    """Return how long `arena check` of a bot takes that never answers."""
    with tempfile.TemporaryDirectory() as scratch:
        bot = Path(scratch) / "endless.py"
        bot.write_text(ENDLESS)
        return _seconds("check", str(bot))


def _class_of(bots: int, folder: Path) -> Path:
    """Make a folder with so many bots, no two of which are the same: one in five thinks."""
    bots_folder = folder / "bots"
    bots_folder.mkdir()
    thinking = [demo_bots()[name].read_text() for name in SEARCHING]
    for number in range(bots):
        ten = [STARTER] * (10 - len(thinking)) + thinking
        source = f"{ten[number % 10]}\n\nNUMBER = {number}\n"
        (bots_folder / f"student{number:03}.py").write_text(source)
    return bots_folder


def _seconds(*words: str) -> float:
    """Return how long a command takes."""
    started = perf_counter()
    with _typed(*words) as process:
        process.wait()
    return perf_counter() - started


def _typed(*words: str) -> subprocess.Popen[bytes]:
    """Start a command whose output nobody reads."""
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", "arena", *words], stdin=quiet, stdout=quiet, stderr=quiet
    )


def _text(path: Path) -> str:
    """Return what is in a file; nothing if it is not there yet."""
    with suppress(FileNotFoundError):
        return path.read_text()
    return ""
