"""Reading a contest's folder that another process writes."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from arena.contest.folder import ContestFolder
from arena.contest.history import Placing, add_round
from arena.contest.session import Session
from arena.web.hub import JournalWatch
from arena.web.publisher import write_edition

pytestmark = pytest.mark.slow

LOCKING = """
import pathlib, sys
from arena.common.system import lock
assert (held := lock(pathlib.Path(sys.argv[1])))
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def copy(contest: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(contest, tmp_path / "copy"))


def set_pseudonyms(folder: Path) -> None:
    toml = folder / "contest.toml"
    toml.write_text(toml.read_text().replace("pseudonyms = false", "pseudonyms = true"))


def edition(folder: Path, target: Path) -> tuple[JournalWatch, dict[str, bytes]]:
    """Write an edition; return the watch, and the unpacked files by name."""
    with closing(JournalWatch(folder)) as watch:
        watch.look()
        write_edition(target, watch, {})
    files = {path.name: path.read_bytes() for path in target.iterdir()}
    return watch, {
        name.removesuffix(".gz"): gzip.decompress(data) if name.endswith(".gz") else data
        for name, data in files.items()
    }


def test_only_games_that_have_come_since_are_read(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ContestFolder, "is_in_use", True)
    session = Session.open(copy)
    journal = session.folder.journal()
    records = list(journal.records())
    (copy / "journal.sqlite").unlink()
    journal.close()
    journal = session.folder.journal()
    journal.add(records[:2])
    watch = JournalWatch(copy)
    assert {record.key for record in watch.look()} == {record.key for record in records[:2]}
    assert watch.look() == []
    journal.add(records)
    assert {record.key for record in watch.look()} == {record.key for record in records[2:]}
    assert watch.records == {record.key: record for record in records}
    assert not watch.is_stale
    (copy / "contest.toml").write_text((copy / "contest.toml").read_text() + "\n")
    assert watch.is_stale
    watch.close()
    journal.close()


def test_a_journal_that_nobody_plays_into_is_left_as_it_is_until_somebody_does(copy: Path) -> None:
    names = {path.name for path in copy.iterdir()}
    watch = JournalWatch(copy)
    assert len(watch.look()) == len(watch.records) > 0
    assert {path.name for path in copy.iterdir()} == names
    assert not (watch.is_played or watch.is_stale)
    command = [sys.executable, "-c", LOCKING, str(copy / ".lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        assert watch.is_played and watch.is_stale
        other.communicate()
    assert not watch.is_played
    watch.close()


def test_with_pseudonyms_nothing_that_is_served_has_a_name(copy: Path, tmp_path: Path) -> None:
    set_pseudonyms(copy)
    add_round(copy, [Placing(day=date(2026, 11, 2), round=1, bot="random", rank=1)])
    assert any(record.output for record in Session.open(copy).settle().records.values())
    _, files = edition(copy, tmp_path / "edition")
    assert len(files) == 7
    overview = json.loads(files["overview.json"])
    assert not overview["rounds"]
    assert {bot["history"] for bot in overview["bots"]} == {None}
    for name in (b"alice", b"robert", b"trap"):
        found = [text.partition(name)[0][-80:] for text in files.values() if name in text]
        assert not found


def test_under_pseudonyms_neither_order_nor_hashes_tell_who_a_bot_is(
    copy: Path, tmp_path: Path
) -> None:
    real = Session.open(copy)
    set_pseudonyms(copy)
    students = [name for name, bot in real.contest.bots.items() if not bot.house]
    given = dict(zip(students, ("zebra", "yak", "xerus"), strict=True))
    rows = "".join(f"{bot},{bot},{given[bot]}\n" for bot in given)
    (copy / "roster.csv").write_text("name,bot,pseudonym\n" + rows)
    watch, files = edition(copy, tmp_path / "edition")
    served = watch.session
    assert [name for name in served.contest.bots if name in given.values()] == sorted(
        given.values()
    )
    assert {game.key.digest for game in served.games} == {game.key.digest for game in real.games}
    overview = files["overview.json"].decode()
    hashes = [bot.content_hash for bot in real.contest.bots.values() if bot.content_hash]
    assert hashes
    assert not any(each in overview for each in hashes)
