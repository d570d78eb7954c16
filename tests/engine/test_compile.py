"""Compiling the engine in advance, and working without."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

import arena
from arena.common.errors import InputError, MachineError
from arena.engine.machine_code import Piece, cache_folder, compile_engine, marker

CACHES = shutil.ignore_patterns("__pycache__")

QUESTION = (
    "import sys\n"
    "from arena.engine.machine_code import cache_folder, is_compiled\n"
    "print(is_compiled(), cache_folder())\n"
    "assert 'numba' not in sys.modules"
)


def python(*words: str, cwd: Path | None = None, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | environment,
        check=True,
        cwd=cwd,
    )
    return done.stdout


def empty(home: Path) -> dict[str, str]:
    """Return an environment without any compiled code."""
    return {"NUMBA_CACHE_DIR": str(home), "NUMBA_CPU_NAME": "host"}


LOCKED = "from arena.engine.machine_code import cache_folder; print(cache_folder())"


def lock_of(piece: Piece, home: Path) -> Path:
    return Path(python("-c", LOCKED, **empty(home)).strip()) / f"{piece}.lock"


def compiler(piece: Piece, cwd: Path | None = None, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "arena.engine.compile", piece],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
        cwd=cwd,
    )


def is_held(lock: Path) -> bool:
    with lock.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def opened_by(process: subprocess.Popen[str]) -> set[Path]:
    return {each.resolve() for each in Path(f"/proc/{process.pid}/fd").iterdir()}


@pytest.fixture
def nearly_compiled(tmp_path: Path) -> Path:
    """A folder with a copy of Arena; the last function of each piece is not compiled."""
    list(compile_engine())
    folder = cache_folder()
    assert folder is not None
    shutil.copytree(Path(arena.__file__).parent, tmp_path / "arena", ignore=CACHES)
    copied = tmp_path / "arena" / "engine" / "__pycache__" / folder.name
    lacking = shutil.ignore_patterns("exact.search*", "tree.search*", *map(marker, Piece))
    shutil.copytree(folder, copied, ignore=lacking)
    return tmp_path


def test_who_needs_a_piece_that_another_process_compiles_waits_and_tells_how_far_that_is(
    tmp_path: Path,
) -> None:
    lock = lock_of(Piece.SOLVER, tmp_path)
    with lock.open("a+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.write("solver: 3 of 18 functions")
        held.flush()
        with compiler(Piece.SOLVER, **empty(tmp_path)) as waiting:
            assert waiting.stdout is not None
            assert waiting.stdout.readline() == "solver: 3 of 18 functions\n"
            assert waiting.poll() is None
            (lock.parent / marker(Piece.SOLVER)).touch()
            fcntl.flock(held, fcntl.LOCK_UN)
            assert waiting.stdout.read() == ""  # it has compiled nothing
            assert waiting.wait() == 0


@pytest.mark.slow
def test_a_killed_compiler_blocks_nobody_and_one_piece_is_compiled_after_the_other(
    nearly_compiled: Path,
) -> None:
    home = {"XDG_CACHE_HOME": str(nearly_compiled / "home"), "PYTHONPATH": ""}

    def answer(*words: str) -> str:
        return python(*words, cwd=nearly_compiled, **home)

    asked = (
        "from arena.engine.machine_code import is_compiled as done; print(done('solver'), done())"
    )
    lock = Path(answer("-c", LOCKED).strip()) / "solver.lock"
    with compiler(Piece.SOLVER, nearly_compiled, **home) as killed:
        while not is_held(lock):
            sleep(0.01)
        killed.send_signal(signal.SIGSTOP)
        with compiler(Piece.SOLVER, nearly_compiled, **home) as waiting:
            while lock not in opened_by(waiting):
                sleep(0.01)
            killed.kill()
            *_, last = waiting.communicate()[0].splitlines()
            assert waiting.returncode == 0
    assert re.fullmatch(r"solver: \d+ of \d+ functions", last)  # some are loaded
    assert answer("-c", asked) == "True False\n"
    assert answer("-m", "arena.engine.compile", Piece.SOLVER) == ""
    # the other one is compiled in the background, and is there for who needs it
    began = "from arena.engine.machine_code import begin_compiling; begin_compiling()"
    assert answer("-c", began) == ""
    ready = (
        "from arena.engine.machine_code import compile_engine; print(*compile_engine(), sep='\\n')"
    )
    assert answer("-c", ready).startswith("compiling the engine's search, once\n")
    assert answer("-c", asked) == "True True\n"


def test_where_machine_code_is_complete_it_is_taken_from_even_if_other_folders_come_first(
    tmp_path: Path,
) -> None:
    shutil.copytree(Path(arena.__file__).parent, tmp_path / "arena", ignore=CACHES)
    home = str(tmp_path / "home")
    compiled, folder = python("-c", QUESTION, cwd=tmp_path, XDG_CACHE_HOME=home).split()
    assert compiled == "False"
    assert Path(folder).parent == tmp_path / "arena" / "engine" / "__pycache__"
    elsewhere = tmp_path / "home" / Path(folder).name
    elsewhere.mkdir(parents=True)
    for piece in Piece:
        (elsewhere / marker(piece)).touch()
    answer = python("-c", QUESTION, cwd=tmp_path, XDG_CACHE_HOME=home)
    assert answer.split() == ["True", str(elsewhere)]


def test_what_is_compiled_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    list(compile_engine())
    monkeypatch.setattr(subprocess, "Popen", None)
    assert list(compile_engine()) == []


def compile_with(lines: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let a shell script be the compiling process, with nothing compiled yet."""
    compiler = tmp_path / "python"
    compiler.write_text(f"#!/bin/sh\n{lines}")
    compiler.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(compiler))
    monkeypatch.setattr("arena.engine.machine_code.is_compiled", lambda *_: False)


def test_progress_is_passed_on_and_a_failure_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = "echo search: 6 of 24 functions\necho 'Traceback\nOSError: full' >&2\nexit 1\n"
    compile_with(lines, monkeypatch, tmp_path)
    said = compile_engine(Piece.SEARCH)
    assert next(said) == "compiling the engine's search, once"
    assert next(said) == "compiling the engine's search, once: 6 of 24 functions"
    with pytest.raises(InputError, match=r"^Arena's engine cannot be compiled: OSError: full \("):
        next(said)


@pytest.mark.parametrize("kills", [1, 2])
def test_what_compiles_is_started_again_if_it_is_killed(
    kills: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    starts = tmp_path / "starts"
    lines = f"echo once >> {starts}\ntest $(wc -l < {starts}) -gt {kills} || kill -KILL $$\n"
    compile_with(lines, monkeypatch, tmp_path)
    if kills == 1:
        list(compile_engine(Piece.SEARCH))
    else:
        with pytest.raises(MachineError, match="SIGKILL ended the compiling process"):
            list(compile_engine(Piece.SEARCH))
    assert len(starts.read_text().splitlines()) == 2
