"""Full disks, read-only folders, and closed screens."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

from arena.cli.files import write_text
from arena.common.errors import StorageError
from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.command_line import PATIENCE_SECONDS, Typed, arena, started, succeeded

RUN = ("run", "bots", "--no-house", "--seed", 1, "--out", "disk/contest", "--openings")


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    return bots_in(tmp_path / "bots", alice=FIRST_FREE, bob=LAST_FREE)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system, with room for the journal of a few games."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160k", "none", folder]).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def remount(disk: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True)


@pytest.mark.slow
def test_a_full_disk_stops_a_contest_which_goes_on_once_there_is_room(
    tmp_path: Path, bots: Path, disk: Path
) -> None:
    done = arena(*RUN, 400, cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1,
        "arena: disk/contest/journal.sqlite: the disk is full; finished games are stored. "
        "After fixing this, continue with: arena resume disk/contest",
    )
    shown = arena("rank", "disk/contest", cwd=tmp_path)
    assert shown.returncode == 1
    assert "alice" in shown.stdout
    assert "No space left on device" in shown.stderr
    remount(disk, "size=20m")
    assert "800 games, 800 to play" not in arena("resume", "disk/contest", cwd=tmp_path).stderr
    assert len(pd.read_csv(disk / "contest" / "games.csv")) == 800
    remount(disk, "ro")
    shown = arena("rank", "disk/contest", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "are unchanged: the folder cannot be written to" in " ".join(shown.stdout.split())
    assert "wins" in arena("replay", "disk/contest", 1, cwd=tmp_path).stdout
    assert "Read-only file system" in arena("resume", "disk/contest", cwd=tmp_path).stderr


def test_a_full_disk_leaves_no_part_of_a_file_so_the_same_command_works_later(
    tmp_path: Path, disk: Path, typed: Typed
) -> None:
    old = disk / "old.html"
    write_text(old, "as it was")
    with (disk / "fill").open("wb", 0) as fill, suppress(OSError):
        while fill.write(bytes(4096)):
            pass
    code, _, errors = typed("new", "disk/bot.py")
    assert (code, "bot.py: cannot be written to (No space left on device); make" in errors) == (
        1,
        1,
    )
    with pytest.raises(StorageError, match=r"old\.html: cannot be written to"):
        write_text(old, "longer than a page\n" * 1000)
    assert (old.read_text(), sorted(os.listdir(disk))) == ("as it was", ["fill", "old.html"])
    (disk / "fill").unlink()
    assert "disk/bot.py: a bot to start from" in succeeded(typed("new", "disk/bot.py"))


@pytest.mark.slow
def test_a_screen_that_goes_away_stops_no_contest(tmp_path: Path, bots: Path) -> None:
    with started(*RUN, 5, cwd=tmp_path, stderr=subprocess.STDOUT) as running:
        assert running.stdout is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.wait(PATIENCE_SECONDS) == 0
    assert len(pd.read_csv(tmp_path / "disk" / "contest" / "games.csv")) == 10


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--version",), ("run", "--help"), ("openings",)])
def test_output_that_cannot_be_written_is_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "arena", *words], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (1, "arena: the output: No space left on device\n")


def test_a_contest_file_that_was_emptied_is_said_and_nothing_is_overwritten(
    tmp_path: Path, typed: Typed
) -> None:
    (tmp_path / "contest").mkdir()
    (tmp_path / "contest" / "contest.toml").touch()
    (tmp_path / "contest" / "leaderboard.csv").write_text("as it was")
    for command in ("rank", "resume"):
        code, _, errors = typed(command, "contest")
        assert (code, "contest.toml: has fewer than two bots" in errors) == (2, True)
    assert (tmp_path / "contest" / "leaderboard.csv").read_text() == "as it was"


def test_help_names_defaults_and_errors_what_is_allowed(typed: Typed, tmp_path: Path) -> None:
    _, said, _ = typed("run", "--help")
    for default in ("Default: 6.", "Default: 30.", "Default: 10,000.", "Default: one a core."):
        assert default in said
    code, _, errors = typed("match", "random", "greedy", "--nodes", -3)
    assert code == 2
    assert "nodes = -3: expected 1 or more, or 0" in errors
