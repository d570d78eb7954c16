"""Journals of format 0, which early Arenas wrote, are brought up to date, whatever happens."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from contest.test_damage import games
from support.early import JOURNAL, early_contest

from arena.contest import ContestFolder, journal, mending
from arena.contest.journal import FORMAT, Journal
from arena.contest.rows import game_row
from arena.errors import StorageError
from arena.referee import Verdict

EARLY = """CREATE TABLE games (
    key TEXT PRIMARY KEY, verdict TEXT NOT NULL, winner INTEGER, reason TEXT NOT NULL,
    opening_plies INTEGER NOT NULL, columns TEXT NOT NULL, charged_ns TEXT NOT NULL,
    nodes TEXT NOT NULL, output TEXT NOT NULL
) WITHOUT ROWID"""

MANY = 1_500
"""Games that are more than SQLite keeps in memory: it writes some before all are changed."""


def early_journal(folder: Path, number: int) -> Path:
    """Write a journal of format 0 with so many games."""
    with sqlite3.connect(folder / JOURNAL) as database:
        database.execute(EARLY)
        rows = (game_row(game)[:-1] for game in games(number))
        database.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    database.close()
    return folder / JOURNAL


def killed_at(path: Path, step: int) -> bool:
    """Bring a journal up to date in a process that is killed at that of its steps.

    Returns False if it had fewer.
    """
    child = os.fork()
    if not child:
        steps, seal = count(), journal.sealed

        def die(*_: object) -> None:
            if next(steps) == step:
                os.kill(os.getpid(), signal.SIGKILL)

        def sealed(values: object) -> object:
            die()
            return seal(values)  # type: ignore[arg-type]

        journal.sealed = sealed  # type: ignore[assignment]
        connect = sqlite3.connect

        def traced(*how: object, **more: object) -> sqlite3.Connection:
            database = connect(*how, **more)  # type: ignore[call-overload]
            database.set_trace_callback(lambda said: None if "UPDATE" in said else die())
            return database  # type: ignore[no-any-return]

        sqlite3.connect = traced  # type: ignore[assignment]
        Journal(path)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def test_a_journal_that_an_early_arena_wrote_is_read_whole(tmp_path: Path) -> None:
    folder = ContestFolder(early_contest(tmp_path / "early"))
    with folder.read_journal() as opened:
        assert opened.format == 0
        records = list(opened.records())
    assert len(records) == 12
    assert sum(record.verdict is Verdict.ERROR for record in records) == 4
    with folder.read_journal() as opened:
        assert opened.format == 0, "reading changes nothing"
    journal = folder.journal()
    journal.close()
    with folder.read_journal() as opened:
        assert opened.format == FORMAT
        assert list(opened.records()) == records
    scheduled = {game.key.digest for game in folder.games(folder.read())}
    assert {record.key for record in records} == scheduled, "keys are the same since"


def test_a_kill_in_the_middle_leaves_a_journal_that_is_brought_up_to_date_again(
    tmp_path: Path,
) -> None:
    """Every statement once, and some of the rows."""
    played = {game.key: game for game in games(40)}
    steps = [0, 2, 4, 6, 8, 9, 10, 11, 12, 13, 30, *range(52, 70)]
    for step in steps:
        folder = tmp_path / str(step)
        folder.mkdir()
        was_killed = killed_at(early_journal(folder, 40), step)
        opened = mending.own_journal(folder / JOURNAL)
        assert opened.mended == ""
        assert {record.key: record for record in opened.records()} == played
        opened.close()
        if not was_killed:
            break
    assert not was_killed, "the last statement was reached"
    assert step > 50


@pytest.mark.slow
def test_a_kill_when_half_is_on_the_disk_loses_nothing(tmp_path: Path) -> None:
    path = early_journal(tmp_path, MANY)
    assert killed_at(path, MANY - 5)
    opened = mending.own_journal(path)
    assert (opened.mended, len(opened.keys())) == ("", MANY)
    opened.close()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", folder]).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.parametrize("left", [0, 70_000, 200_000])
def test_a_full_disk_leaves_an_early_journal_as_it_was(disk: Path, left: int) -> None:
    path = early_journal(disk, 200)
    filling, room = disk / "filling", os.statvfs(disk)
    filling.write_bytes(bytes(room.f_bavail * room.f_frsize - left))
    with pytest.raises(StorageError, match="the disk is full"):
        Journal(path)
    with ContestFolder(disk).read_journal() as copy:  # made where there is room
        assert len(copy.keys()) == 200
    filling.unlink()
    opened = mending.own_journal(path)
    assert (opened.mended, len(opened.keys())) == ("", 200)
    opened.close()
