"""Command lines, in their own processes and in this one."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import resolve_name
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import PIPE, CompletedProcess
from tempfile import TemporaryDirectory
from typing import Any

from arena.cli import COMMANDS, main
from support.cores import on_cores, share

# Fixture `typed`: words of a command line to (exit code, output, errors).
Typed = Callable[..., tuple[object, str, str]]
PATIENCE_SECONDS = 240
HOMES = {row.home.partition(":")[0] for row in COMMANDS.values()}
# Modules that take each command up to a second to import.
PRELOADED = [
    *(resolve_name(home, "arena.cli") for home in sorted(HOMES)),
    *(
        "arena.report.files",
        "arena.report.screen.leaderboard",
        "arena.report.screen.lines",
    ),
    *("numba", "orjson", "pandas.io.formats.csvs", "pandas.core.methods.to_dict"),
]


def arena(*words: object, cwd: Path) -> CompletedProcess[str]:
    """Run a command line in a fork of a process that has imported everything.

    Streams, signals and working directory are as in `python -m arena`.
    """
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = forked(words, cwd, os.environ, ("/dev/null", str(out), str(err)))
        process.join(PATIENCE_SECONDS)
        if process.exitcode is None:
            process.kill()
            raise AssertionError(f"arena {words} did not end: {err.read_text()}")
        done = CompletedProcess(words, process.exitcode, out.read_text(), err.read_text())
        process.close()
    assert "Traceback" not in done.stderr, done.stderr
    return done


def forked(
    words: Sequence[object],
    cwd: Path,
    environment: Mapping[str, str],
    streams: tuple[str, str, str],
) -> BaseProcess:
    """Start a command line in such a fork, in its own session; `streams` are paths."""
    forking = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(PRELOADED)
    typed = [str(word) for word in words]
    process = forking.Process(target=_run, args=(typed, cwd, dict(environment), streams))
    process.start()
    return process


def refused(done: tuple[object, str, str]) -> str:
    """Return the one line in which a command refused its input."""
    code, output, errors = done
    assert (code, output, errors.count("\n")) == (2, "", 1), errors
    return errors


def succeeded(done: tuple[object, str, str]) -> str:
    """Return the output of a command that must end with exit code 0."""
    code, output, errors = done
    assert code == 0, errors
    return output


def arena_ok(*words: object, cwd: Path) -> CompletedProcess[str]:
    """Run one command line, which must end with exit code 0."""
    done = arena(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done


@contextmanager
def started(*words: object, **how: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a command line beside the test, in its own session.

    `how` are arguments of Popen; output and errors are pipes by default. The session is killed when
    the block ends.
    """
    with on_cores(share()):
        process = subprocess.Popen(
            [sys.executable, "-m", "arena", *map(str, words)],
            text=True,
            start_new_session=True,
            # what runs the tests in the background has Ctrl-C ignored, and children inherit that
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            **{"stdout": PIPE, "stderr": PIPE, **how},
        )
    with process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _run(
    words: list[str], cwd: Path, environment: Mapping[str, str], streams: tuple[str, str, str]
) -> None:
    gc.freeze()  # or it, and each of its lanes, would look through all that is imported
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
    for number, path in enumerate(streams):
        file = os.open(path, (os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY) | os.O_NOCTTY)
        os.dup2(file, number)
        os.close(file)
    # those of the fork server are for other kinds of files
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, closefd=False)  # noqa: SIM115
    tempfile.tempdir = None  # it may be another in this environment
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    os.sched_setaffinity(0, share())
    sys.argv = ["arena", *words]
    main()
