"""Folders that become read-only during a contest, and damaged copies of bots."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.contests import command, games_of, played, write_bots
from support.command_line import arena, started


def mount(*words: object) -> None:
    """Mount something, or skip the test."""
    if subprocess.run(["mount", *map(str, words)], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=20m", "none", folder)
    yield folder
    subprocess.run(["umount", "--lazy", "--recursive", folder], check=True)


@pytest.mark.slow
def test_a_folder_that_becomes_read_only_is_said_and_its_contest_goes_on(
    tmp_path: Path, disk: Path
) -> None:
    bots = write_bots(tmp_path / "bots", 2, seconds=0.05)
    contest = disk / "contest"
    words = command(bots, contest, 6)[3:]
    with started(*words) as running:
        while not played(contest):
            assert running.poll() is None
            time.sleep(0.02)
        mount("--bind", contest, contest)
        mount("-o", "remount,bind,ro", contest)
        _, errors = running.communicate(timeout=60)
    lines = errors.splitlines()
    assert running.returncode == 1, lines
    assert lines[-1] == (
        f"arena: {contest}: cannot be written to; finished games are stored. After fixing "
        f"this, continue with: arena resume {contest}"
    )
    subprocess.run(["umount", contest], check=True)
    resumed = arena(*words, cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert "12 games, 12 to play" not in resumed.stderr
    games = games_of(contest)
    assert len(games) == games["key"].nunique() == 12


@pytest.mark.slow
def test_a_copy_of_a_bot_that_lost_its_bytes_is_no_fault_of_the_bot(tmp_path: Path) -> None:
    bots = write_bots(tmp_path / "bots", 2, seconds=0)
    words = command(bots, tmp_path / "contest", 1)[3:]
    assert arena(*words, cwd=tmp_path).returncode == 0
    calm = games_of(tmp_path / "contest")
    for file in (tmp_path / "contest").glob("bots/*/*.py"):
        file.write_bytes(b"")
    (tmp_path / "contest" / "journal.sqlite").unlink()
    resumed = arena("resume", "contest", cwd=tmp_path)
    assert resumed.returncode == 2
    assert "are missing or changed" in resumed.stderr
    assert arena(*words, cwd=tmp_path).returncode == 0  # the command that made it
    assert games_of(tmp_path / "contest").equals(calm)
