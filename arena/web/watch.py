"""Watching a contest's folder while another process plays in it.

The journal's table is kept in the order of its keys, which are hashes, so games that are new are
found by comparing keys. SQLite tells at once whether anybody has written since; the keys are only
read then, and no more often than costs little.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from arena.contest import GameAnalysis, Journal
from arena.contest.exclusion import EXCLUDED
from arena.contest.folder import JOURNAL
from arena.referee import GameRecord
from arena.web.masks import served_record, served_session

_LOCK = struct.Struct("hhqqi")
"""A struct flock: type, whence, start, length, process id."""


class Watch:
    """The contest of a folder as it stands: its games so far, and those that have come."""

    def __init__(self, path: Path) -> None:
        """Open the contest. Raises InputError, StorageError."""
        self._stack = ExitStack()
        self._files = _files(path)
        self.session = served_session(path)
        """The contest."""
        self.records: dict[str, GameRecord] = {}
        """Every game in its journal, by its key's digest."""
        self.analyses: Mapping[str, GameAnalysis] = {}
        """What is known of their moves, likewise."""
        self._journal: Journal | None = None
        self._seen = -1
        if (path / JOURNAL).exists():
            self._journal = self._stack.enter_context(self.session.folder.read_journal())

    @property
    def has_begun(self) -> bool:
        """True if there is a journal: before, the openings may still be looked for."""
        return self._journal is not None

    @property
    def is_stale(self) -> bool:
        """True if another contest was set up in the folder, or its journal was replaced."""
        return _files(self.session.folder.path) != self._files

    @property
    def is_played(self) -> bool:
        """True if another process is at work on the contest right now."""
        return is_locked(self.session.folder.path / ".lock")

    def look(self) -> list[GameRecord]:
        """Return the games that have come since the last look, in no promised order.

        Raises StorageError.
        """
        if self._journal is None:
            return []
        changes = self._journal.changes()
        if changes == self._seen:
            return []
        records = self._journal.besides(self.records)
        new = [served_record(record, self.session) for record in records]
        self.records.update((record.key, record) for record in new)
        self.analyses = self._journal.analyses()
        self._seen = changes
        return new

    def close(self) -> None:
        """Close the journal."""
        self._stack.close()


def is_locked(path: Path) -> bool:
    """Return True if another process holds the lock of this file; it is asked for, not taken."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        asked = _LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, *_ = _LOCK.unpack(fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    finally:
        os.close(descriptor)
    return bool(kind != fcntl.F_UNLCK)


def _files(path: Path) -> tuple[tuple[int, int] | None, ...]:
    """Return which files a contest is read from, and of those that are rewritten when."""
    found: list[tuple[int, int] | None] = []
    rewritten = ("contest.toml", "openings.json", EXCLUDED)
    for name, is_rewritten in (*((name, True) for name in rewritten), (JOURNAL, False)):
        try:
            about = (path / name).stat()
        except OSError:
            found.append(None)
        else:
            found.append((about.st_ino, about.st_mtime_ns if is_rewritten else 0))
    return tuple(found)
