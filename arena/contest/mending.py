"""Opening a journal where something is wrong with it, or with the folder around it.

What is replaced is moved into a folder of its own inside the contest's, `set-aside-1/`, where it
keeps its name.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from arena.contest.journal import Journal
from arena.contest.rows import ANALYSIS, GAME, TABLES, Row
from arena.contest.salvage import log_of, rows_held
from arena.errors import DamagedJournalError, ForeignJournalError, InputError, StorageError
from arena.numbers import counted
from arena.writing import write_file

TRIES = 10
"""Copies that are made of a journal that somebody plays into, until one is whole."""

SALTS = slice(16, 24)
"""Bytes of a log's header that are others once it is begun anew."""


class SetAside:
    """A folder inside a contest's, made for the first thing that is put into it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        names = (folder / f"set-aside-{number}" for number in count(1))
        self.path = next(path for path in names if not os.path.lexists(path))
        """The folder."""

    @property
    def is_used(self) -> bool:
        """True if something was put into it."""
        return self.path.exists()

    def place(self, path: Path) -> Path:
        """Return where a file of the contest's folder belongs in it, and make the folders there.

        Raises OSError.
        """
        target = self.path / path.relative_to(self._folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def take(self, path: Path) -> None:
        """Move a file or folder of the contest's there, if it exists. Raises OSError."""
        if os.path.lexists(path):
            path.rename(self.place(path))

    def write(self, name: str, text: str) -> None:
        """Write a file there, on the disk before anything else happens. Raises OSError."""
        write_file(self.place(self._folder / name), text, durable=True)


def own_journal(path: Path) -> Journal:
    """Open or create a journal in a folder that nobody else is at work in.

    A damaged one is set aside, and all games that can still be read are in a new one in its place,
    which says so: it was `mended`. Games that SQLite no longer sees, as the log was cut or garbled
    before them, are added. Raises InputError, StorageError.
    """
    log = log_of(path)
    # SQLite removes a log that was left over: what it does not understand would go with it
    held = _held(path) if log.exists() and log.stat().st_size else []
    if is_half_mended(path):
        held += _held_aside(path)
    try:
        journal = Journal(path)
    except (DamagedJournalError, ForeignJournalError) as error:
        held = list(dict.fromkeys([*held, *_held(path)]))
        if isinstance(error, ForeignJournalError) and not held:
            raise
        aside = _replace(path, held)
        journal = Journal(path)
        journal.mended = (
            f"{path} was damaged ({error}): {_told(held)} could still be read and are kept; "
            f"the damaged file is now {aside.relative_to(path.parent)}"
        )
    else:
        if held:
            known = journal.keys()
            _add(journal, (row for row in held if row[0] not in known or len(row) != len(GAME)))
        with suppress(OSError):
            _partial(path).unlink()
    return journal


def is_half_mended(path: Path) -> bool:
    """Return True if a kill came while a damaged journal was replaced by what it still held."""
    return _partial(path).exists()


@contextmanager
def journal_copy(path: Path) -> Iterator[Journal]:
    """Open a copy of a journal, made where there is room for it, as if it were one's own.

    So nothing in its folder changes, which SQLite writes to even for readers, and which may be
    read-only. Raises InputError, StorageError.
    """
    with tempfile.TemporaryDirectory(prefix="arena-") as scratch:
        copy = Path(scratch) / path.name
        try:
            _copy(path, copy)
        except OSError as error:
            raise StorageError(
                f"{path}: cannot be copied to {tempfile.gettempdir()} ({error.strerror})"
            ) from None
        try:
            journal = own_journal(copy)
        except (InputError, StorageError) as error:
            raise type(error)(str(error).replace(str(copy), str(path))) from None
        if journal.mended:
            rows = [*journal.rows("games"), *journal.rows("analyses")]
            journal.mended = f"{path} is damaged: {_told(rows)} can still be read"
        try:
            yield journal
        finally:
            journal.close()


def _copy(path: Path, copy: Path) -> None:
    """Copy a journal and its log as they are at one moment, though somebody plays into them.

    The log may grow meanwhile, and its pages be put into the journal: all of that is in the copy of
    the log. Only if the log is begun anew the two do not fit, and are copied again. Raises OSError.
    """
    for _ in range(TRIES):
        before = _age(path)
        shutil.copyfile(path, copy)
        log_of(copy).unlink(missing_ok=True)
        if log_of(path).exists():
            shutil.copyfile(log_of(path), log_of(copy))
        if _age(path) == before:
            return


def _age(path: Path) -> bytes | int:
    """Return another value once a journal's log was begun anew. Raises OSError."""
    try:
        with log_of(path).open("rb") as log:
            salts = log.read(SALTS.stop)[SALTS]
    except FileNotFoundError:
        salts = b""
    return salts or path.stat().st_mtime_ns  # without a log the journal itself is written to


def _replace(path: Path, rows: list[Row]) -> Path:
    """Set a journal aside and put a new one with these rows in its place; returns where it is."""
    partial = _partial(path)
    try:
        for file in (partial, log_of(partial)):
            file.unlink(missing_ok=True)
        fresh = Journal(partial)
        _add(fresh, rows)
        fresh.close()
        aside = SetAside(path.parent).place(path)
        shutil.copyfile(path, aside)
        if log_of(path).exists():
            log_of(path).replace(log_of(aside))
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"{path}: is damaged, and {error.strerror}") from None
    return aside


def _partial(path: Path) -> Path:
    """The name that the journal in the place of a damaged one has until it is whole."""
    return path.with_stem(path.stem + ".partial")


def _held_aside(path: Path) -> list[Row]:
    """The rows of the last journal that was set aside; none if there is none."""
    there = {
        int(number): aside
        for aside in path.parent.glob(f"set-aside-*/{path.name}")
        if (number := aside.parent.name.rpartition("-")[2]).isdecimal()
    }
    return _held(there[max(there)]) if there else []


def _add(journal: Journal, rows: Iterable[Row]) -> None:
    """Add rows to the tables that they are of."""
    rows = list(rows)
    for table, columns in TABLES.items():
        journal.add_rows(table, (row for row in rows if len(row) == len(columns)))


def _told(rows: Iterable[Row]) -> str:
    """Return how many games rows are, and how many analyses if there are any."""
    kinds = Counter(map(len, rows))
    games, analyses = counted(kinds[len(GAME)], "game"), kinds[len(ANALYSIS)]
    return f"{games} and the analyses of {analyses:,}" if analyses else games


def _held(path: Path) -> list[Row]:
    """The rows that can still be read. Raises StorageError."""
    try:
        return rows_held(path)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from None
