"""Waiting times of commands, started as users type them.

If Python cannot write compiled modules and none exist, as in some containers, everything takes
twice as long: run `python -m compileall arena`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from time import perf_counter, sleep

from arena.common.errors import MachineError
from arena.common.names import house_folder
from arena.interfaces.contract import starter
from arena_lab.bench.figure import Effort, Samples
from arena_lab.bench.samples import ENDLESS

LOOK_SECONDS = 0.005  # Between two checks of a contest's log or a command's memory.
PLAYING = " playing "  # Logged just before the first game.
SEARCHING = ("lookahead", "threats")  # Demo bots that think; each is one tenth of a class.


def help_page(scratch: Path, effort: Effort) -> Samples:
    return {"help_s": [seconds_of("--help") for _ in range(effort.rounds)]}


def first_moves(scratch: Path, effort: Effort) -> Samples:
    """Measure how soon `arena run` plays, for a small and a usual number of bots."""
    return {
        "first_move_10_s": [first_move_seconds(effort.few) for _ in range(effort.runs)],
        "first_move_50_s": [first_move_seconds(effort.many) for _ in range(effort.runs)],
    }


def check(scratch: Path, effort: Effort) -> Samples:
    with _folder() as folder:
        return {"check_50_s": [seconds_of("check", str(class_of(effort.many, folder)))]}


def endless_check(scratch: Path, effort: Effort) -> Samples:
    with _folder() as folder:
        bot = folder / "endless.py"
        bot.write_text(ENDLESS)
        return {"check_endless_s": [seconds_of("check", str(bot))]}


def check_one(scratch: Path, effort: Effort) -> Samples:
    with _folder() as folder:
        bot = folder / "bot.py"
        bot.write_text(starter("pick_move"))
        return {"check_one_s": [seconds_of("check", str(bot)) for _ in range(effort.rounds)]}


def first_use(scratch: Path, effort: Effort) -> Samples:
    """Measure a command that needs the engine, before the engine was compiled."""
    with _folder() as folder:
        return {"first_use_s": [seconds_of("solve", "3333", **_new_machine(folder))]}


def first_contest(scratch: Path, effort: Effort) -> Samples:
    """Measure the README's contest, before the engine was compiled and when it is."""
    seconds = []
    with _folder() as folder:
        for name in ("first", "second"):
            words = "run", str(house_folder()), "--openings", "2", "--seed", "1"
            out = "--out", str(folder / name)
            seconds.append(seconds_of(*words, *out, **_new_machine(folder)))
    return {"first_contest_s": seconds[:1], "second_contest_s": seconds[1:]}


def _new_machine(folder: Path) -> dict[str, str]:
    """Return the environment of a machine with all its machine code in `folder`."""
    llvm = import_module("llvmlite.binding")
    # machine code depends on how the processor is named, so no other folder has it
    return {"NUMBA_CACHE_DIR": str(folder), "NUMBA_CPU_NAME": llvm.get_host_cpu_name()}


def first_move_seconds(bots: int) -> float:
    """Return the seconds until `arena run` plays its first game.

    Raises MachineError if the command ends before.
    """
    with _folder() as folder:
        log = folder / "contest" / "arena.log"
        words = "run", str(class_of(bots, folder)), "--out", str(log.parent)
        started = perf_counter()
        with _typed(words) as process:
            while PLAYING not in _text(log):
                if process.poll() is not None:
                    raise MachineError(f"arena run ended before its first game: {_text(log)}")
                sleep(LOOK_SECONDS)
            seconds = perf_counter() - started
            process.send_signal(signal.SIGINT)
        return seconds


def class_of(bots: int, folder: Path) -> Path:
    """Create a folder with `bots` different bots, one in five of which thinks."""
    bots_folder = folder / "bots"
    bots_folder.mkdir()
    thinking = [(house_folder() / f"{name}.py").read_text() for name in SEARCHING]
    for number in range(bots):
        ten = [starter("pick_move")] * (10 - len(thinking)) + thinking
        source = f"{ten[number % 10]}\n\nNUMBER = {number}\n"
        (bots_folder / f"student{number:03}.py").write_text(source)
    return bots_folder


def seconds_of(*words: str, **variables: str) -> float:
    """Run a command with additional environment variables; return its seconds."""
    started = perf_counter()
    with _typed(words, variables) as process:
        process.wait()
    return perf_counter() - started


def cost_of(*words: str) -> tuple[float, float]:
    """Run a command; return (seconds, most memory in millions of bytes)."""
    started, most = perf_counter(), 0.0
    with _typed(words) as process:
        while process.poll() is None:
            most = max(most, most_memory_mb(process.pid))
            sleep(LOOK_SECONDS)
    return perf_counter() - started, most


def most_memory_mb(pid: int) -> float:
    """Return a process's peak memory in millions of bytes; 0 if the process has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _typed(
    words: tuple[str, ...], variables: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", "arena", *words],
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        env={**os.environ, **(variables or {})},
    )


def _text(path: Path) -> str:
    with suppress(FileNotFoundError):
        return path.read_text()
    return ""
