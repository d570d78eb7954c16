"""Journals that are torn, doubled, or removed while games are added."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.common.errors import LostJournalError
from arena.contest.folder import ContestFolder
from arena.journal.database import Journal
from arena.journal.mending import FRAME_HEADER, LOG_HEADER, PAGE
from journal.test_damage import LOG, NAME, STATES, games, journal_of, left_by_a_kill


@pytest.mark.slow
def test_a_log_torn_anywhere_keeps_every_game_before_the_tear(tmp_path: Path) -> None:
    played = list(games(80))
    (tmp_path / "run").mkdir()
    left_by_a_kill(tmp_path / "run", STATES[0], played)
    log = (tmp_path / "run" / LOG).read_bytes()
    chance = random.Random(50)
    for number in range(50):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "run", folder, ignore=shutil.ignore_patterns("own*"))
        length = chance.randrange(len(log))
        (folder / LOG).write_bytes(log[:length])
        committed = _committed_before(log, length)
        journal = ContestFolder(folder).journal()
        kept = {record.key: record for record in journal.records()}
        assert kept.keys() >= {game.key for game in played[: 10 * committed]}, length
        assert all(kept[game.key] == game for game in played if game.key in kept)
        journal.add(played)
        assert {record.key: record for record in journal.records()} == {
            game.key: game for game in played
        }
        journal.close()


def _committed_before(log: bytes, length: int) -> int:
    """Count the transactions with games whose frames end before a length of the log.

    The first transaction makes the tables. https://www.sqlite.org/fileformat2.html, section 4.1: a
    frame that ends a transaction has the size of the database in its header, others have 0.
    """
    starts = range(LOG_HEADER, length - FRAME_HEADER - PAGE + 1, FRAME_HEADER + PAGE)
    ends = sum(log[start + 4 : start + 8] != bytes(4) for start in starts)
    return max(0, ends - 1)


def test_a_game_that_comes_twice_stays_as_it_came_first(tmp_path: Path) -> None:
    first = replace(next(games(1)), reason="ü")
    with closing(Journal(tmp_path / NAME)) as journal:
        journal.add([first])
        journal.add([first, replace(first, reason="later")])
    with closing(Journal(tmp_path / NAME)) as journal:
        assert list(journal.records()) == [first]


@pytest.mark.parametrize("what", ["removed", "moved away", "replaced"])
def test_no_game_is_added_to_a_journal_that_is_no_longer_there(what: str, tmp_path: Path) -> None:
    one, other = games(2)
    folder = tmp_path / "contest"
    folder.mkdir()
    journal = Journal(folder / NAME)
    journal.add([one])
    if what == "removed":
        shutil.rmtree(folder)
    elif what == "moved away":
        folder.rename(tmp_path / "elsewhere")
    else:
        (folder / NAME).rename(folder / "old.sqlite")
        Journal(folder / NAME).close()
    with pytest.raises(LostJournalError, match="was removed, moved or replaced"):
        journal.add([other])
    if what == "moved away":  # and goes on once it is back
        (tmp_path / "elsewhere").rename(folder)
        journal.add([other])
        assert len(journal.keys()) == 2


@pytest.mark.parametrize("is_damaged", [True, False])
def test_a_kill_while_a_damaged_journal_is_put_aside_loses_no_game(
    is_damaged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = list(games(60))
    left_by_a_kill(tmp_path, STATES[1], played)  # half of the games are in the log alone
    path = tmp_path / NAME
    data, log = bytearray(path.read_bytes()), (tmp_path / LOG).read_bytes()
    in_log = {log[at : at + 4] for at in range(LOG_HEADER, len(log), FRAME_HEADER + PAGE)}
    number = next(n for n in range(2, len(data) // PAGE) if n.to_bytes(4) not in in_log)
    data[(number - 1) * PAGE : (number - 1) * PAGE + 260] = b"x" * 260
    path.write_bytes(data)
    moved = Path.replace

    def killed(source: Path, target: Path) -> Path:
        if source.name.endswith("partial.sqlite"):
            raise KeyboardInterrupt
        return moved(source, target)

    monkeypatch.setattr(Path, "replace", killed)
    before = ContestFolder(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        before.journal()
    monkeypatch.undo()
    assert not (tmp_path / LOG).exists()
    if not is_damaged:  # as what was damaged may have been in the log alone
        path.unlink()
        Journal(path).close()
    with closing(ContestFolder(tmp_path).journal()) as held:
        kept = held.keys()
    assert len(kept) >= 50  # but for those on one page
    assert not (tmp_path / "journal.partial.sqlite").exists()
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM games").fetchone() == (len(kept),)


def test_rows_are_not_brought_back_from_a_journal_that_was_put_aside_long_ago(
    tmp_path: Path,
) -> None:
    one, other = games(2)
    (tmp_path / "set-aside-1").mkdir()
    for name, game in ((f"set-aside-1/{NAME}", one), (NAME, other)):
        journal_of((tmp_path / name).parent, game)
    assert ContestFolder(tmp_path).journal().keys() == {other.key}
