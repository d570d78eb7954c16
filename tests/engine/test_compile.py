"""Compiling the engine beforehand, and doing without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import arena
from arena.engine.cache import COMPLETE
from arena.engine.compile import PIECES

CACHES = shutil.ignore_patterns("__pycache__")

QUESTION = (
    "import sys\n"
    "from arena.engine.cache import cache_folder, is_compiled\n"
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


@pytest.mark.slow
def test_compiling_tells_of_every_piece_and_is_remembered() -> None:
    lines = python("-m", "arena.engine.compile").splitlines()
    assert lines == [f"compiling the engine's {name}, once" for name, _ in PIECES]
    assert python("-c", QUESTION).startswith("True")


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
    (elsewhere / COMPLETE).touch()
    answer = python("-c", QUESTION, cwd=tmp_path, XDG_CACHE_HOME=home)
    assert answer.split() == ["True", str(elsewhere)]
