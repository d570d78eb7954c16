"""Compiling the engine in advance, and working without."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import sleep

import psutil
import pytest

import arena
from arena.common.errors import InputError, MachineError
from arena.common.system import is_locked, lock
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


def is_held(file: Path) -> bool:
    return file.exists() and is_locked(file)


@pytest.fixture
def nearly_compiled(tmp_path: Path) -> Path:
    """A folder with a copy of Arena and a cache; the last function of each piece is missing."""
    list(compile_engine())
    folder = cache_folder()
    assert folder is not None
    shutil.copytree(Path(arena.__file__).parent, tmp_path / "arena", ignore=CACHES)
    copied = tmp_path / "home" / folder.name
    lacking = shutil.ignore_patterns("exact.search*", "tree.search*", *map(marker, Piece))
    shutil.copytree(folder, copied, ignore=lacking)
    return tmp_path


def test_who_needs_a_piece_that_another_process_compiles_waits_and_tells_how_far_that_is(
    tmp_path: Path,
) -> None:
    file = lock_of(Piece.SOLVER, tmp_path)
    file.with_suffix(".progress").write_text("solver: 3 of 18 functions")
    held = lock(file)
    assert held is not None
    with closing(held), compiler(Piece.SOLVER, **empty(tmp_path)) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "solver: 3 of 18 functions\n"
        assert waiting.poll() is None
        (file.parent / marker(Piece.SOLVER)).touch()
        held.close()
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
        "from arena.engine.machine_code import is_compiled as done\nprint(done(['solver']), done())"
    )
    file = Path(answer("-c", LOCKED).strip()) / "solver.lock"
    with compiler(Piece.SOLVER, nearly_compiled, **home) as killed:
        while not is_held(file):
            sleep(0.01)
        killed.send_signal(signal.SIGSTOP)
        with compiler(Piece.SOLVER, nearly_compiled, **home) as waiting:
            looks = 0
            while looks < 20:  # it only sleeps, between short looks at the lock
                is_asleep = psutil.Process(waiting.pid).status() == psutil.STATUS_SLEEPING
                looks = looks + 1 if is_asleep else 0
                sleep(0.05)
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


@dataclass(frozen=True)
class Environment:
    """A copy of Arena, and a user's cache folder, which others may share."""

    root: Path
    cache: Path

    def answer(self) -> list[str]:
        """Return ["True" or "False", whether the engine is compiled, and where]."""
        variables = {"XDG_CACHE_HOME": str(self.cache), "NUMBA_CACHE_DIR": "", "PYTHONPATH": ""}
        return python("-c", QUESTION, cwd=self.root, **variables).split()


@pytest.fixture
def new_environment(tmp_path: Path) -> Callable[[str], Environment]:
    def make(name: str) -> Environment:
        shutil.copytree(Path(arena.__file__).parent, tmp_path / name / "arena", ignore=CACHES)
        return Environment(tmp_path / name, tmp_path / "cache")

    return make


def complete(folder: Path) -> None:
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    for piece in Piece:
        (folder / marker(piece)).touch(0o644)


def test_a_second_environment_finds_what_the_first_has_compiled(
    new_environment: Callable[[str], Environment],
) -> None:
    first = new_environment("first")
    compiled, folder = first.answer()
    assert (compiled, Path(folder).parent) == ("False", first.cache)
    complete(Path(folder))
    assert new_environment("second").answer() == ["True", folder]


def test_machine_code_of_the_package_is_used_if_only_that_is_complete(
    new_environment: Callable[[str], Environment],
) -> None:
    here = new_environment("here")
    name = Path(here.answer()[1]).name
    shipped = here.root / "arena" / "engine" / "__pycache__" / name
    complete(shipped)
    assert here.answer() == ["True", str(shipped)]


def replaced(folder: Path) -> None:
    other = folder.with_name("other")
    folder.rename(other)
    folder.symlink_to(other)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: folder.chmod(0o777),
        lambda folder: (folder / marker(Piece.SEARCH)).chmod(0o664),
        lambda folder: folder.parent.chmod(0o777),  # it could be exchanged
        replaced,
    ],
    ids=["folder", "file", "parent", "link"],
)
def test_machine_code_that_another_user_could_have_written_is_not_loaded(
    spoil: Callable[[Path], None], new_environment: Callable[[str], Environment]
) -> None:
    here = new_environment("here")
    folder = Path(here.answer()[1])
    complete(folder)
    assert here.answer() == ["True", str(folder)]
    spoil(folder)
    compiled, other = here.answer()
    assert compiled == "False"
    assert Path(other).parent == here.root / "arena" / "engine" / "__pycache__"


def shared_with_a_group(folder: Path) -> None:
    os.chown(folder.parent, -1, 12345)
    folder.parent.chmod(0o775)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: os.chown(folder, 12345, 12345),
        lambda folder: os.chown(folder.parent, 12345, -1),  # that user could exchange the folder
        shared_with_a_group,
    ],
    ids=["folder", "parent", "group"],
)
def test_machine_code_of_another_user_is_not_loaded(
    spoil: Callable[[Path], None], new_environment: Callable[[str], Environment]
) -> None:
    here = new_environment("here")
    folder = Path(here.answer()[1])
    complete(folder)
    spoil(folder)
    assert here.answer()[0] == "False"


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
    said = compile_engine([Piece.SEARCH])
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
        list(compile_engine([Piece.SEARCH]))
    else:
        with pytest.raises(MachineError, match="SIGKILL ended the compiling process"):
            list(compile_engine([Piece.SEARCH]))
    assert len(starts.read_text().splitlines()) == 2
