"""The journal: every game of a contest's folder, with analyses and retries.

Records are added in transactions and never changed. An analysis with more nodes is added beside the
former one. Only `arena verify --repair` removes rows, if they contradict the rules. Each row has a
checksum. Opening the journal checks all rows.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from shutil import disk_usage

from arena.analysis.analysis import VERSION as ANALYSIS_VERSION
from arena.analysis.analysis import GameAnalysis
from arena.common.errors import (
    DamagedJournalError,
    ForeignJournalError,
    InputError,
    LostJournalError,
    StorageError,
)
from arena.game.record import GameRecord, Retake
from arena.game.verdict import Proof, Verdict
from arena.journal.packed import PackedGames, games_of
from arena.journal.rows import (
    GAME_AT_FIRST,
    GAME_BEFORE,
    SCHEMA,
    TABLES,
    JournalRow,
    analysis_of,
    analysis_row,
    game_row,
    is_whole,
    retake_of,
    retake_row,
)

APPLICATION = 0x41524E41
FORMAT = 3  # Format 1 had no retries, format 2 no places; opening a journal adds them.
LAST_FORMAT = 99  # A greater number in a file means damage, not a future format.
PAGE = 4096  # Bytes of a page of the file, SQLite's default.

PATIENCE_SECONDS = 20.0  # Longest wait for another program's lock.
VERDICT = re.compile(r"[A-Z_]+")  # A verdict's name in any version.
LEAST_FREE = 1 << 16  # With fewer free bytes the disk counts as full.
_LOCKED = "another program has it locked; try again when that has ended"
# SQLite's error codes for faults outside the file; other codes mean damage.
AROUND = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_READONLY: "cannot be written to",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_PERM: "cannot be opened",
    sqlite3.SQLITE_IOERR: "cannot be read or written",
    sqlite3.SQLITE_NOMEM: "there is not enough memory for it",
}


class Journal:
    def __init__(self, path: Path) -> None:
        """Open or create a journal, and check all of its rows.

        Raises InputError if another program or version of Arena wrote the file,
        DamagedJournalError, and StorageError.
        """
        self._path = path
        self.mended = ""
        """A sentence if the journal replaces a damaged one; else empty."""
        self.format = FORMAT
        """Format of the file when it was opened."""
        try:
            with self._watched():
                self._database = sqlite3.connect(
                    path, timeout=PATIENCE_SECONDS, isolation_level=None
                )
                self._open()
            self._file = self._file_now()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with suppress(AttributeError, sqlite3.Error):
            self._database.close()

    def keys(self) -> set[str]:
        with self._watched():
            return {key for (key,) in self._database.execute("SELECT key FROM games")}

    def ends(self) -> Iterator[tuple[str, Verdict, int | None]]:
        verdicts = Verdict.__members__
        with self._watched():
            for key, verdict, winner in self._database.execute(
                "SELECT key, verdict, winner FROM games"
            ):
                yield key, verdicts[verdict], winner

    def changes(self) -> int:
        """Return a number that changes when another program adds rows."""
        with self._watched():
            return self._pragma("data_version")

    def besides(self, known: Container[str]) -> Iterator[GameRecord]:
        """Yield the games whose digests are not in `known`, in any order."""
        new = [key for key in self.keys() if key not in known]
        one = "SELECT * FROM games WHERE key = ?"
        with self._watched():
            rows = (self._database.execute(one, (key,)).fetchone() for key in new)
            yield from self.with_retakes(games_of(rows))

    def add(self, records: Iterable[GameRecord]) -> None:
        """Add games, all or none. An existing key keeps its first record."""
        records = list(records)
        self.add_retakes(retake for record in records for retake in record.retakes)
        self.add_rows("games", map(game_row, records))

    def records(self) -> Iterator[GameRecord]:
        yield from self.with_retakes(games_of(self.rows("games")))

    def packed(self) -> PackedGames:
        """Return all games, in a fifth of the memory of `records`."""
        return PackedGames.of_rows(self.rows("games"), self._retakes_by_key())

    def add_retakes(self, retakes: Iterable[Retake]) -> None:
        if rows := list(map(retake_row, retakes)):
            self.add_rows("retakes", rows)

    def retakes(self) -> list[Retake]:
        with self._watched():
            return list(map(retake_of, self._database.execute("SELECT * FROM retakes")))

    def add_analyses(self, analyses: Iterable[GameAnalysis]) -> None:
        self.add_rows("analyses", map(analysis_row, analyses))

    def analyses(self) -> dict[str, GameAnalysis]:
        with self._watched():
            rows = self._database.execute(
                "SELECT * FROM analyses WHERE version = ? ORDER BY nodes", (ANALYSIS_VERSION,)
            )
            return {row[0]: analysis_of(row) for row in rows}

    def rows(self, table: str) -> Iterator[JournalRow]:
        with self._watched():
            yield from self._database.execute(f"SELECT * FROM {table}")

    def remove(self, keys: Mapping[str, Iterable[str]]) -> None:
        """Remove rows by key, all or none, and their bytes: a repair would find them."""
        with self._watched():
            with self._transaction():
                for table, gone in keys.items():
                    self._database.executemany(
                        f"DELETE FROM {table} WHERE key = ?", ((key,) for key in gone)
                    )
            self._database.execute("VACUUM")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def with_retakes(self, records: Iterator[GameRecord]) -> Iterator[GameRecord]:
        by_key = self._retakes_by_key()
        for record in records:
            mine = by_key.get(record.key) if by_key else None
            yield record if mine is None else replace(record, retakes=mine)

    def _retakes_by_key(self) -> dict[str, tuple[Retake, ...]]:
        by_key: dict[str, tuple[Retake, ...]] = {}
        for retake in self.retakes():
            by_key[retake.key] = (*by_key.get(retake.key, ()), retake)
        return by_key

    def add_rows(self, table: str, rows: Iterable[JournalRow]) -> None:
        """Add rows to a table, all or none; rows with existing keys are ignored."""
        self._require_place()
        places = ", ".join("?" * len(TABLES[table]))
        with self._watched(), self._transaction():
            self._database.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({places})", rows)

    def _open(self) -> None:
        application, version = self._pragma("application_id"), self._pragma("user_version")
        if application not in (0, APPLICATION):
            raise ForeignJournalError(f"{self._path}: is a database of another program")
        if FORMAT < version <= LAST_FORMAT:
            raise self._of_another_version(f"its format is {version}, not {FORMAT}")
        if not 0 <= version <= FORMAT:
            raise DamagedJournalError("its version cannot be read")
        with self._transaction("BEGIN"):  # a consistent snapshot
            tables = self._tables()
            if tables or self._pragma("page_count") > 1:
                if not version:
                    raise self._of_no_format()
                self._check(tables, version)
                self.format = version
        if version < FORMAT:
            self._bring_up_to_date()
        self._database.execute("PRAGMA synchronous = NORMAL")

    def _of_no_format(self) -> InputError:
        if self._columns("games") == GAME_AT_FIRST:
            return InputError(
                f"{self._path}: is of an early Arena, whose journals this one cannot read; move it "
                "away, and arena resume plays its games again"
            )
        return ForeignJournalError(f"{self._path}: is a database of another program")

    def _check(self, tables: set[str], version: int) -> None:
        if "games" not in tables:
            raise DamagedJournalError("its table of games is missing")
        if version > 1 and (lost := TABLES.keys() - tables):
            raise DamagedJournalError(f"its table {min(lost)} is missing")
        (found,) = self._database.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise DamagedJournalError("SQLite finds its structure damaged")
        for table in sorted(tables & TABLES.keys()):
            self._check_columns(table, version)
            for row in self._database.execute(f"SELECT * FROM {table}"):
                self._check_row(row, table)

    def _check_columns(self, table: str, version: int) -> None:
        found = self._columns(table)
        expected = GAME_BEFORE if table == "games" and version < FORMAT else TABLES[table]
        if len(found) != len(expected):
            raise self._of_another_version(
                f"its table {table} has {len(found)} columns, not {len(expected)}"
            )
        if found != expected:
            raise DamagedJournalError(f"columns of its table {table} have other names")

    def _columns(self, table: str) -> tuple[str, ...]:
        rows = self._database.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return tuple(name for (name,) in rows)

    def _check_row(self, row: JournalRow, table: str) -> None:
        is_known = table != "games" or row[1] in Verdict.__members__
        if table == "retakes" and row[4] not in Proof.__members__ and is_whole(row):
            raise self._of_another_version(f"it has a retry because of {row[4]}")
        if not is_whole(row):
            raise DamagedJournalError("a row has a wrong checksum")
        if not is_known and VERDICT.fullmatch(str(row[1])):
            raise self._of_another_version(f"it has a game that ended by {row[1]}")

    def _bring_up_to_date(self) -> None:
        self._database.execute(f"PRAGMA page_size = {PAGE}")
        self._database.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            version = self._pragma("user_version")  # another process may have been faster
            for table, columns in SCHEMA.items():
                self._database.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} ({columns}) WITHOUT ROWID"
                )
            if 0 < version < FORMAT:
                self._database.execute("ALTER TABLE games ADD COLUMN place TEXT")
            self._database.execute(f"PRAGMA application_id = {APPLICATION}")
            self._database.execute(f"PRAGMA user_version = {FORMAT}")

    def _pragma(self, name: str) -> int:
        (value,) = self._database.execute(f"PRAGMA {name}").fetchone()
        return int(value)

    def _tables(self) -> set[str]:
        rows = self._database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        return {name for (name,) in rows}

    def _of_another_version(self, how: str) -> InputError:
        return InputError(
            f"{self._path}: was written by another version of Arena ({how}); use that version"
        )

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        self._database.execute(begin)
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # the error may have ended the transaction already
                self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def _require_place(self) -> None:
        """Raise LostJournalError if the file was removed or replaced: SQLite would not notice."""
        if self._file_now() != self._file:
            raise LostJournalError(
                f"{self._path}: was removed, moved or replaced while games were added to it, so "
                "they are lost; restore it and type the same command again"
            )

    def _file_now(self) -> tuple[int, int] | None:
        try:
            about = self._path.stat()
        except OSError:
            return None
        return about.st_dev, about.st_ino

    def _is_full(self) -> str:
        try:
            free = disk_usage(self._path.parent).free
        except OSError:
            return ""
        return AROUND[sqlite3.SQLITE_FULL] if free < LEAST_FREE else ""

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.ProgrammingError:
            raise  # a mistake in this code, no defect of the file
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
            around = AROUND.get(code & 0xFF)
            if around is None or code == sqlite3.SQLITE_IOERR_SHORT_READ:
                raise DamagedJournalError(str(error)) from None
            raise StorageError(f"{self._path}: {self._is_full() or around}") from None
