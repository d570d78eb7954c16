"""Opening a journal where something is wrong with it, or with the folder around it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, takewhile
from pathlib import Path

from arena.contest.journal import Journal
from arena.contest.rows import GAME, TABLES, Row
from arena.contest.salvage import log_of, rows_held
from arena.errors import DamagedJournalError, ForeignJournalError, InputError, StorageError

TRIES = 10
"""Copies that are made of a journal that somebody plays into, until one is whole."""

SALTS = slice(16, 24)
"""Bytes of a log's header that are others once it is begun anew."""


def own_journal(path: Path) -> Journal:
    """Open or create a journal in a folder that nobody else is at work in.

    A damaged one is put aside, and all games that can still be read are in a new one in its place,
    which says so: it was `mended`. Games that SQLite no longer sees, as the log was cut or garbled
    before them, are added. Raises InputError, StorageError.
    """
    log = log_of(path)
    # SQLite removes a log that was left over: what it does not understand would go with it
    held = _held(path) if log.exists() and log.stat().st_size else []
    if _partial(path).exists():  # a kill came while a damaged one was put aside
        held += _held_aside(path)
    try:
        journal = Journal(path)
    except (DamagedJournalError, ForeignJournalError) as error:
        held = list(dict.fromkeys([*held, *_held(path)]))
        games = sum(len(row) == len(GAME) for row in held)
        if isinstance(error, ForeignJournalError) and not games:
            raise
        aside = _replace(path, held)
        journal = Journal(path)
        journal.mended = (
            f"{path} was damaged ({error}): {games:,} games could still be read and are kept; "
            f"the damaged file is now {aside.name}"
        )
    else:
        if held:
            known = journal.keys()
            _add(journal, (row for row in held if row[0] not in known or len(row) != len(GAME)))
        with suppress(OSError):
            _partial(path).unlink()
    return journal


@contextmanager
def journal_copy(path: Path) -> Iterator[Journal]:
    """Open a copy of a journal, made where there is room for it, as if it were one's own.

    For folders in which nothing can be written, as SQLite does even for readers. Raises
    InputError, StorageError.
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
            journal.mended = f"{path} is damaged: {len(journal.keys()):,} games can still be read"
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
    """Put a journal aside and a new one with these rows in its place; returns where it is now."""
    aside = next(name for name in _asides(path) if not name.exists())
    partial = _partial(path)
    try:
        for file in (partial, log_of(partial)):
            file.unlink(missing_ok=True)
        fresh = Journal(partial)
        _add(fresh, rows)
        fresh.close()
        shutil.copyfile(path, aside)
        if log_of(path).exists():
            log_of(path).replace(log_of(aside))
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"{path}: is damaged, and {error.strerror}") from None
    return aside


def _asides(path: Path) -> Iterator[Path]:
    """Yield the names that damaged journals get, in their order."""
    return (path.with_stem(f"{path.stem}.damaged-{number}") for number in count(1))


def _partial(path: Path) -> Path:
    """The name that the journal in the place of a damaged one has until it is whole."""
    return path.with_stem(path.stem + ".partial")


def _held_aside(path: Path) -> list[Row]:
    """The rows of the last damaged journal that was put aside; none if there is none."""
    there = [*takewhile(Path.exists, _asides(path))]
    return _held(there[-1]) if there else []


def _add(journal: Journal, rows: Iterable[Row]) -> None:
    """Add rows to the tables that they are of."""
    rows = list(rows)
    for table, columns in TABLES.items():
        journal.add_rows(table, (row for row in rows if len(row) == len(columns)))


def _held(path: Path) -> list[Row]:
    """The rows that can still be read. Raises StorageError."""
    try:
        return rows_held(path)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from None
