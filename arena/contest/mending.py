"""Opening a journal where something is wrong with it, or with the folder around it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from arena.contest.journal import Journal
from arena.contest.rows import GAME, Row
from arena.contest.salvage import log_of, rows_held
from arena.errors import DamagedJournalError, ForeignJournalError, StorageError


def own_journal(path: Path) -> Journal:
    """Open or create a journal in a folder that nobody else is at work in.

    A damaged one is put aside, and all games that can still be read are in a new one in its place,
    which says so: it was `mended`. Games that SQLite no longer sees, as the log was cut or garbled
    before them, are added. Raises InputError, StorageError.
    """
    log = log_of(path)
    # SQLite removes a log that was left over: what it does not understand would go with it
    held = _held(path) if log.exists() and log.stat().st_size else []
    try:
        journal = Journal(path)
    except (DamagedJournalError, ForeignJournalError) as error:
        held = held or _held(path)
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
            for file, target in ((path, copy), (log_of(path), log_of(copy))):
                if file.exists():
                    shutil.copyfile(file, target)
        except OSError as error:
            raise StorageError(
                f"{path}: cannot be copied to {tempfile.gettempdir()} ({error.strerror})"
            ) from None
        journal = own_journal(copy)
        if journal.mended:
            journal.mended = f"{path} is damaged: {len(journal.keys()):,} games can still be read"
        try:
            yield journal
        finally:
            journal.close()


def _replace(path: Path, rows: list[Row]) -> Path:
    """Put a journal aside and a new one with these rows in its place; returns where it is now."""
    names = (path.with_stem(f"{path.stem}.damaged-{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    partial = path.with_stem(path.stem + ".partial")
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


def _add(journal: Journal, rows: Iterable[Row]) -> None:
    """Add rows of games and of analyses."""
    rows = list(rows)
    journal.add_rows("games", (row for row in rows if len(row) == len(GAME)))
    journal.add_rows("analyses", (row for row in rows if len(row) != len(GAME)))


def _held(path: Path) -> list[Row]:
    """The rows that can still be read. Raises StorageError."""
    try:
        return rows_held(path)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from None
