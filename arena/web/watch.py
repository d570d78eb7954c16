"""Watching a contest's folder while another process plays in it.

The journal's table is kept in the order of its keys, which are hashes, so games that are new are
found by comparing keys. SQLite tells at once whether anybody has written since; the keys are only
read then, and no more often than costs little.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from arena.contest import ContestFolder, GameAnalysis, Journal
from arena.contest.exclusion import EXCLUDED
from arena.contest.folder import JOURNAL
from arena.referee import GameRecord
from arena.web.masks import served_record, served_session


class Watch:
    """The contest of a folder as it stands: its games so far, and those that have come."""

    def __init__(self, path: Path) -> None:
        """Open the contest. Raises InputError, StorageError."""
        self._stack = ExitStack()
        self._path = path
        self._is_live = ContestFolder(path).is_in_use
        self._files = self._files_now()
        self.session = served_session(path)
        """The contest."""
        self.records: dict[str, GameRecord] = {}
        """Every game in its journal, by its key's digest."""
        self.analyses: Mapping[str, GameAnalysis] = {}
        """What is known of their moves, likewise."""
        self._journal: Journal | None = None
        self._seen = -1
        if not is_empty(path / JOURNAL):
            folder = self.session.folder
            opened = folder.live_journal() if self._is_live else folder.read_journal()
            self._journal = self._stack.enter_context(opened)

    @property
    def has_begun(self) -> bool:
        """True if there is a journal: before, the openings may still be looked for."""
        return self._journal is not None

    @property
    def is_stale(self) -> bool:
        """True if another contest was set up in the folder, or another journal is to be read.

        A journal that nobody plays into is read from a copy.
        """
        return self._files_now() != self._files or (self.is_played and not self._is_live)

    @property
    def is_played(self) -> bool:
        """True if another process is at work on the contest right now."""
        return self.session.folder.is_in_use

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
        self._stack.close()

    def _files_now(self) -> tuple[tuple[object, ...], ...]:
        """Return which files the contest is read from, and of those that are rewritten when."""
        found: list[tuple[object, ...]] = []
        for name in ("contest.toml", "openings.json", EXCLUDED, JOURNAL):
            path = self._path / name
            is_kept = name == JOURNAL and self._is_live
            try:
                about = path.stat()
            except OSError:
                found.append(())
            else:
                when = 0 if is_kept else about.st_mtime_ns
                found.append((about.st_ino, when, about.st_size > 0))
        return tuple(found)


def is_empty(path: Path) -> bool:
    """Return True if there is no such file, or nothing in it."""
    try:
        return not path.stat().st_size
    except OSError:
        return True
