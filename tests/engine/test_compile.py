"""Compiling the engine beforehand, and doing without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import arena
from arena.engine.jit import COMPLETE

CACHES = shutil.ignore_patterns("__pycache__")

QUESTION = (
    "from arena.engine.compile import is_compiled\n"
    "from arena.engine.jit import cache_folder\n"
    "print(is_compiled(), cache_folder())"
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


def test_compiling_tells_of_every_piece_and_is_remembered() -> None:
    out = python("-m", "arena.engine.compile")
    assert out.startswith("compiling search … ")
    assert all(line.endswith(" s") for line in out.splitlines())
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
