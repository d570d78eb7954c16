"""The package as it is built: nothing that it needs is left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_a_wheel_has_every_file_of_the_package_and_the_bots(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, ROOT]
    done = subprocess.run(build, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no wheel can be built here: {done.stderr.strip()[-200:]}")
    (wheel,) = tmp_path.glob("arena-*.whl")
    with ZipFile(wheel) as archive:
        there = set(archive.namelist())
    homes = {
        "arena": ROOT / "arena",
        "arena/bots": ROOT / "bots",
        "arena_lab": ROOT / "benchmarks" / "arena_lab",
    }
    needed = {
        f"{name}/{path.relative_to(home)}"
        for name, home in homes.items()
        for path in home.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"arena/py.typed", "arena/openings/shipped/classic.csv"} <= needed
    assert needed <= there
    assert not [name for name in there if name.endswith((".png", ".svg"))]  # pictures stay outside
