"""Folders that earlier versions of Arena wrote, in archives beside this module.

Each has `contest/` and what was played there. They were made by commits 27cf0e4e (no-format),
eb21ae85 (class), 7e44b212 (ladder), 7951e8e2 (rounds) and 1d91803b (interface).
"""

from __future__ import annotations

import csv
import sqlite3
import tarfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from arena.journal.database import FORMAT
from support.command_line import Typed, arena, arena_ok, refused, succeeded
from support.served import served

pytestmark = pytest.mark.slow

# The archives with their journal's format, and what only some folders can be asked for.
FORMATS: dict[str, tuple[int, Sequence[tuple[str, ...]]]] = {
    # a roster without `system`, pseudonyms, an excluded bot, analyses, thresholds, a game file
    "class": (
        1,
        [
            ("export", "contest", "--to", "moodle"),
            ("export", "contest", "--to", "reports", "--out", "reports.zip"),
            ("report", "contest", "--for", "Ann Able"),
            ("report", "contest", "--for-class", "class.html"),
            ("exclude", "contest", "Bob Baker", "--undo"),
            ("replay", "contest/feedback/Cy Cole.json", "1"),
            ("collect", "moodle", "--into", "bots"),
        ],
    ),
    # two rounds
    "ladder": (1, [("ladder", "contest")]),
    # chosen with --until-settled; a retry
    "rounds": (2, [("rank", "contest", "--grade", "seed")]),
    # an instructor's own, whose `method` is one name
    "interface": (2, [("ask", "bots/a.py", "--config", "own.toml", "3", "3")]),
}
READERS: Sequence[tuple[str, ...]] = (
    ("rank", "contest"),
    ("rank", "contest", "--exam", "exam.json"),
    ("report", "contest"),
    ("export", "contest", "--to", "csv"),
    ("export", "contest", "--games", "games.json"),
    ("replay", "contest", "1"),
    ("replay", "games.json", "1"),
    ("similar", "bots", "--results", "contest", "--out", "similar.html"),
)
REFUSED = (
    "arena: contest/journal.sqlite: is of an early Arena, whose journals this one cannot read; "
    "move it away, and arena resume plays its games again\n"
)


def unpacked(name: str, folder: Path) -> Path:
    with tarfile.open(Path(__file__).with_name(f"{name}.tar.gz")) as archive:
        archive.extractall(folder, filter="data")
    return folder / "contest"


def journal(contest: Path) -> tuple[int, set[tuple[object, ...]]]:
    """Return the format of the contest's journal, and its games."""
    with closing(sqlite3.connect(contest / "journal.sqlite")) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        rows = database.execute("SELECT key, verdict, winner, columns, charged_ns FROM games")
        return version, set(rows)


def games(contest: Path) -> dict[str, list[str]]:
    """Return the games of the contest's table by key."""
    shown = ("opening", "first", "second", "moves", "winner", "verdict")
    rows = csv.DictReader((contest / "games.csv").read_text("utf-8").splitlines())
    return {row["key"]: [row[name] for name in shown] for row in rows}


@pytest.mark.parametrize("name", FORMATS)
def test_every_command_that_reads_shows_the_games_of_an_earlier_format(
    name: str, tmp_path: Path, typed: Typed
) -> None:
    contest = unpacked(name, tmp_path)
    version, own = FORMATS[name]
    before, table = journal(contest), games(contest)
    assert before[0] == version
    for words in (*READERS, *own):
        succeeded(typed(*words))
    assert journal(contest) == before, "reading changes no journal"
    assert table.items() <= games(contest).items()
    with served(contest) as server:
        assert server.get("/").status == 200


@pytest.mark.parametrize("name", FORMATS)
def test_an_earlier_contest_is_verified_converted_and_continued(name: str, tmp_path: Path) -> None:
    contest = unpacked(name, tmp_path)
    version, before = journal(contest)
    found = arena("verify", "contest", cwd=tmp_path)
    assert f"journal.sqlite has format {version}, of an earlier Arena" in found.stdout
    arena_ok("verify", "contest", "--repair", cwd=tmp_path)
    arena_ok("resume", "contest", cwd=tmp_path)
    # few nodes are quicker; `class` has analyses with the usual number, which are kept
    nodes = () if name == "class" else ("--nodes", 300)
    arena_ok("analyse", "contest", *nodes, cwd=tmp_path)
    assert journal(contest)[0] == FORMAT
    assert before <= journal(contest)[1], "no game is played again"
    assert arena("replay", "contest", "1", "--rerun", cwd=tmp_path).returncode == 0
    arena_ok("verify", "contest", cwd=tmp_path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("class", ("run", "bots", "--out", "contest")),
        ("ladder", ("ladder", "contest", "--submissions", "bots")),
        ("interface", ("run", "bots", "--no-house", "--out", "contest")),
    ],
)
def test_the_submissions_of_an_earlier_contest_enter_it_again(
    name: str, words: Sequence[str], tmp_path: Path
) -> None:
    contest = unpacked(name, tmp_path)
    before = journal(contest)[1]
    arena_ok(*words, cwd=tmp_path)
    assert before <= journal(contest)[1]
    arena_ok("verify", "contest", cwd=tmp_path)


def test_a_journal_without_a_format_is_refused_in_one_line_until_it_is_moved_away(
    tmp_path: Path, typed: Typed
) -> None:
    contest = unpacked("no-format", tmp_path)
    before = (contest / "journal.sqlite").read_bytes()
    writers = ("resume", "analyse", "verify", "serve")
    for words in (*READERS, *((command, "contest") for command in writers)):
        if "games.json" not in words or words[0] == "export":
            assert refused(typed(*words)) == REFUSED
    assert refused(typed("verify", "contest", "--repair")) == REFUSED
    assert (contest / "journal.sqlite").read_bytes() == before
    (contest / "journal.sqlite").rename(tmp_path / "journal.sqlite")
    arena_ok("resume", "contest", cwd=tmp_path)
    arena_ok("verify", "contest", cwd=tmp_path)
