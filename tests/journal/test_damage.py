"""Journals that were cut or garbled: the messages, and the games kept."""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from arena.common.errors import DamagedJournalError, InputError, StorageError
from arena.contest.folder import ContestFolder
from arena.game.record import GameRecord, Proof, Retake
from arena.game.verdict import Verdict
from arena.journal.database import Journal
from arena.journal.mending import journal_copy, rows_held
from arena.journal.rows import GAME_BEFORE, JournalRow, game_row, sealed, sealed_game

NAME = "journal.sqlite"
LOG = NAME + "-wal"
STATES = ("all in the log", "half in the log", "copied from the log")
KINDS = [(file, how) for file in (LOG, NAME) for how in ("cut", "garbled")]


def games(count: int) -> Iterator[GameRecord]:
    """Games of all sizes, some larger than a page of a journal."""
    chance = random.Random(count)
    for number in range(count):
        plies, fails = chance.randint(8, 42), number % 10 == 0
        columns = tuple(chance.randrange(7) for _ in range(plies + 8))
        answers = range(plies + fails)
        yield GameRecord(
            key=hashlib.sha256(str(number).encode()).hexdigest()[:32],
            columns=columns,
            opening_plies=8,
            charged_ns=tuple(chance.randrange(10**8) for _ in answers),
            nodes=tuple(chance.randrange(-1, 10**5) for _ in answers),
            winner=chance.choice((0, 1)) if fails else chance.choice((None, 0, 1)),
            verdict=Verdict.ERROR if fails else Verdict.LINE,
            reason="raised ZeroDivisionError" if fails else "made a line",
            output="".join(chance.choices("abc \n", k=chance.randrange(3000))) if fails else "",
            place=f"lab/{number % 4}" if number % 3 else None,
        )


def journal_of(folder: Path, *records: GameRecord) -> Path:
    with closing(Journal(folder / NAME)) as journal:
        journal.add(records)
    return folder / NAME


def left_by_a_kill(folder: Path, state: str, played: list[GameRecord]) -> None:
    """Write a journal and its log as a killed run leaves them."""
    journal = Journal(folder / "own.sqlite")
    for start in range(0, len(played), 10):
        if state != STATES[0] and start == len(played) // 2:
            how = "TRUNCATE" if state == STATES[1] else "PASSIVE"
            journal._database.execute(f"PRAGMA wal_checkpoint({how})").fetchone()
        journal.add(played[start : start + 10])
    if state == STATES[2]:
        journal._database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    for ending in ("", "-wal"):
        shutil.copy(folder / f"own.sqlite{ending}", folder / f"{NAME}{ending}")
    journal.close()


def damage(path: Path, how: str, chance: random.Random) -> list[tuple[int, int]]:
    """Cut or garble a file somewhere; return the lost ranges of bytes."""
    data = bytearray(path.read_bytes())
    if how == "cut":
        at = chance.randrange(len(data))
        stretches = [(at, len(data))]
        del data[at:]
    else:
        stretches = []
        for _ in range(chance.choice((1, 1, 1, 3, 20))):
            at, length = chance.randrange(len(data)), chance.choice((1, 8, 64, 600, 5000))
            length = min(length, len(data) - at)
            data[at : at + length] = (
                bytes(length) if chance.random() < 0.3 else (chance.randbytes(length))
            )
            stretches.append((at, at + length))
    path.write_bytes(data)
    return stretches


def still_held(whole: bytes, gone: list[tuple[int, int]], game: GameRecord) -> bool:
    """Return whether a copy of a game in a file is untouched.

    A game that continues on another page also needs its end there.
    """

    def is_there(text: bytes, before: int, more: int) -> bool:
        at = whole.find(text)
        while at >= 0:
            start, end = at - before, at + more
            if all(end <= first or last <= start for first, last in gone):
                return True
            at = whole.find(text, at + 1)
        return False

    long = len(game.output) > 100 or len(game.charged_ns) > 34
    if not long:
        size = 200 + sum(len(str(row)) for row in (game.columns, game.charged_ns, game.nodes))
        return is_there(game.key.encode(), 30, size)
    ending = (game.output or str(list(game.nodes)))[-40:].encode()
    return is_there(game.key.encode(), 30, 1010) and is_there(ending, 4100, 50)


def outcome(folder: Path, state: str, file: str, how: str, seed: int, count: int = 200) -> str:
    """Damage a journal, open a copy like `arena verify`, then the journal itself.

    Fails if a game is lost that the files still hold.
    """
    folder.mkdir()
    played = list(games(count))
    left_by_a_kill(folder, state, played)
    whole = {name: (folder / name).read_bytes() for name in (NAME, LOG)}
    gone = {NAME: [], LOG: []} | {file: damage(folder / file, how, random.Random(seed))}
    held = {
        game.key for game in played
        if any(still_held(whole[name], gone[name], game) for name in whole)
    }  # fmt: skip
    contest = ContestFolder(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with journal_copy(folder / NAME) as journal:
        kept = {record.key: record for record in journal.records()}
        is_damaged = bool(journal.mended)
    with (
        pytest.raises(InputError, match=r"is damaged: .* arena verify .* --repair")
        if is_damaged
        else nullcontext(),
        contest.read_journal() as journal,
    ):
        assert journal.keys() == kept.keys()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    journal = contest.journal()
    assert (bool(journal.mended), journal.keys()) == (is_damaged, kept.keys())
    assert not is_damaged or f"{len(kept)} games could still be read" in journal.mended
    journal.close()
    said = "mended" if is_damaged else "sound"
    assert all(kept[game.key] == game for game in played if game.key in kept)
    assert not held - kept.keys(), f"{len(held - kept.keys())} games lost of {len(held)} held"
    with sqlite3.connect(folder / NAME) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return f"{said}, " + ("all there" if len(kept) == count else "some gone")


@pytest.mark.parametrize(("file", "how"), KINDS)
def test_no_damage_loses_a_game_that_the_files_still_hold(
    file: str, how: str, tmp_path: Path
) -> None:
    for seed, state in enumerate(STATES):
        outcome(tmp_path / state, state, file, how, seed, 60)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("PRAGMA user_version = 4", "another version of Arena (its format is 4, not 3)"),
        ("ALTER TABLE games ADD COLUMN mood TEXT", "its table games has 12 columns, not 11"),
        ("ALTER TABLE analyses DROP COLUMN checksum", "its table analyses has 4 columns, not 5"),
        ("PRAGMA application_id = 7", "is a database of another program"),
        ("PRAGMA user_version = 0", "is a database of another program"),
    ],
)
def test_a_journal_of_others_is_left_alone(change: str, said: str, tmp_path: Path) -> None:
    path = journal_of(tmp_path)
    with sqlite3.connect(path) as database:
        database.execute(change)
    before = path.read_bytes()
    with pytest.raises(InputError, match=re.escape(said)):
        ContestFolder(tmp_path).journal()
    assert path.read_bytes() == before


def test_a_verdict_that_is_not_known_is_another_versions(tmp_path: Path) -> None:
    (game,) = games(1)
    values = list(game_row(game)[:-2])
    values[1] = "FELL_ASLEEP"
    with closing(Journal(tmp_path / NAME)) as journal:
        journal.add_rows("games", [sealed_game(values)])
    with pytest.raises(InputError, match="it has a game that ended by FELL_ASLEEP"):
        ContestFolder(tmp_path).journal()


def test_a_journal_that_another_program_has_locked_is_no_damaged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.journal.database.PATIENCE_SECONDS", 0.1)
    journal = Journal(tmp_path / NAME)
    other = sqlite3.connect(tmp_path / NAME)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="another program has it locked"):
        journal.add(games(1))
    other.rollback()
    journal.add(games(1))
    assert len(journal.keys()) == 1


def test_a_file_that_never_was_a_journal_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("no database" * 100)
    journal = ContestFolder(tmp_path).journal()
    assert "was damaged (file is not a database): 0 games could still be read" in journal.mended


def test_what_a_damaged_journal_still_holds_is_told_by_its_kind(tmp_path: Path) -> None:
    """A retry is neither a game nor an analysis."""
    retry = Retake(key="", at=1, seat=0, ply=9, proof=Proof.WORN, reason="ran out of time")
    played = [replace(game, retakes=(replace(retry, key=game.key),)) for game in games(3)]
    path = journal_of(tmp_path, *played)
    data = bytearray(path.read_bytes())
    data[100:104] = b"xxxx"
    path.write_bytes(data)
    with journal_copy(path) as copy:
        assert copy.mended.endswith("is damaged: 3 games can still be read")


def test_a_copy_of_a_journal_that_is_played_into_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is put into the journal and restarts between the copies of the two files."""
    played = list(games(60))
    journal = Journal(tmp_path / NAME)
    journal.add(played[:20])
    begun, copyfile = iter((20, 40)), shutil.copyfile

    def copied(source: Path, target: Path) -> None:
        copyfile(source, target)
        if source.name == NAME and (start := next(begun, None)):
            journal._database.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
            journal.add(played[start : start + 20])

    monkeypatch.setattr(shutil, "copyfile", copied)
    with journal_copy(tmp_path / NAME) as copy:
        assert (copy.mended, copy.keys()) == ("", {game.key for game in played})
    journal.close()


def of_format_2(path: Path) -> None:
    """Rewrite a journal as an earlier Arena wrote it, without places."""
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE games DROP COLUMN place")
        database.execute("PRAGMA user_version = 2")
        assert len(database.execute("SELECT * FROM games").fetchone()) == len(GAME_BEFORE)
    database.close()


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_journal_without_places_gets_their_column_and_keeps_every_row(
    is_damaged: bool, tmp_path: Path
) -> None:
    played = [replace(game, place=None) for game in games(30)]
    path = journal_of(tmp_path, *played)
    of_format_2(path)
    if is_damaged:
        path.write_bytes(path.read_bytes().replace(b"SQLite format 3", b"x" * 15))
    journal = ContestFolder(tmp_path).journal()
    assert (journal.format == 2) is not is_damaged
    journal.add([replace(played[0], key="f" * 32, place="lab/1")])
    kept = {record.key: record for record in journal.records()}
    assert kept == {game.key: game for game in played} | {"f" * 32: kept["f" * 32]}
    assert {record.place for record in kept.values()} == {None, "lab/1"}
    journal.close()
    with closing(Journal(path)) as again:
        assert (again.format, again.keys()) == (3, kept.keys())


def test_two_processes_can_update_a_journal_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = journal_of(tmp_path, *(replace(game, place=None) for game in games(3)))
    of_format_2(path)
    update = Journal._bring_up_to_date

    def after_another(journal: Journal) -> None:
        monkeypatch.undo()
        Journal(path).close()
        update(journal)

    monkeypatch.setattr(Journal, "_bring_up_to_date", after_another)
    with closing(Journal(path)) as journal:
        assert len(journal.keys()) == 3


def test_a_table_that_an_earlier_format_had_is_missed_there_too(tmp_path: Path) -> None:
    path = journal_of(tmp_path, *(replace(game, place=None) for game in games(3)))
    of_format_2(path)
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE retakes")
    with pytest.raises(DamagedJournalError, match="its table retakes is missing"):
        Journal(path)


def test_a_place_is_kept_and_sealed(tmp_path: Path) -> None:
    (game,) = games(1)
    path = journal_of(tmp_path, replace(game, place="lab/1"))
    assert [row[-1] for row in rows_held(path)] == ["lab/1"]
    with closing(Journal(path)) as journal:
        assert [record.place for record in journal.records()] == ["lab/1"]
    with sqlite3.connect(path) as database:
        database.execute("UPDATE games SET place = 'lab/2'")
    database.close()
    assert "a row has a wrong checksum" in ContestFolder(tmp_path).journal().mended


def test_what_a_bot_prints_never_passes_for_a_row(tmp_path: Path) -> None:
    game = replace(next(games(1)), output=_as_text(_made_up()))
    stored = game_row(game)
    assert [row[0] for row in _held(tmp_path / "as it is", stored)] == [game.key]
    unchanged = sealed_game(
        (*stored[:8], game.output)
    )  # else the text would not be one to beware of
    assert "f" * 32 in [row[0] for row in _held(tmp_path / "unchanged", unchanged)]


def _held(folder: Path, row: JournalRow) -> list[JournalRow]:
    folder.mkdir()
    with closing(Journal(folder / NAME)) as journal:
        journal.add_rows("games", [row])
        return rows_held(folder / NAME)


def _made_up() -> JournalRow:
    """A row whose checksum is four bytes of ASCII."""
    for number in count():
        row = sealed(("f" * 32, "LINE", 1, f"line {number:06}", 0, "[]", "[1]", "[1]", ""))
        checksum = row[-1].to_bytes(4, "big")
        if checksum.isascii():
            return row
    raise AssertionError


def _as_text(row: JournalRow) -> str:
    """A row's record in SQLite's format, as a bot would print it."""
    texts = (row[0], row[1], row[3], *row[5:9])
    key, verdict, reason, *rest = (13 + 2 * len(text) for text in texts)
    header = bytes((11, key, verdict, 9, reason, 8, *rest, 4))
    return (header + "".join(texts).encode() + row[-1].to_bytes(4, "big")).decode("ascii")
