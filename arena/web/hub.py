"""Live news of a contest: from its folder to the publisher and the readers.

The journal's keys are hashes without an order, so new games are found by comparing all keys. The
keys are read only after SQLite reports a change, and not too often.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from arena.analysis.analysis import GameAnalysis
from arena.contest.folder import JOURNAL, ContestFolder
from arena.contest.people import EXCLUDED
from arena.game.record import GameRecord
from arena.journal.database import Journal
from arena.report.published import public_record, served_session
from arena.web.processes import Message, ServerProcess

PULSE_SECONDS = 15.0  # Seconds between empty comments, which show whether a connection is closed.
MOST_READERS = 250
MOST_OF_ONE = 100  # Readers of one client; a course may share an address.
SURE_SECONDS = 20.0  # Seconds before a client's new reader may replace its oldest.


@dataclass(eq=False)
class Reader:
    client: str
    since: float = field(default_factory=monotonic)

    is_over: bool = False
    """True if the reader's stream must end; the browser then opens another."""

    news: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self) -> None:
        self.is_over = True
        self.news.set()


class Hub:
    """Starts the publisher, keeps its last messages, and forwards them to readers."""

    def __init__(self, folder: Path, target: Path, boards: int) -> None:
        self._folder, self._target, self._boards = folder, target, boards
        self.edition = 0
        self.problem = ""
        self._messages: dict[str, bytes] = {}  # the last of each kind, encoded
        self._readers: list[Reader] = []  # oldest first

    async def run(self) -> None:
        words = self._folder, self._target, self._boards
        await ServerProcess("arena.web.publisher", *words).run(self._receive)

    def path(self, name: str, edition: int | None = None) -> Path:
        return self._target / str(edition or self.edition) / name

    def admit(self, client: str) -> Reader | None:
        """Return a new reader, or None if there is no room. Call `leave` afterwards.

        If there are too many readers, the client with the most loses a reader to a client with
        fewer. A client with its full share loses its own oldest reader, if that is old enough.
        """
        readers = Counter(reader.client for reader in self._readers)
        if readers[client] >= MOST_OF_ONE or len(self._readers) >= MOST_READERS:
            ((most, _),) = readers.most_common(1)
            if readers[client] >= MOST_OF_ONE:
                most = client
            oldest = next(reader for reader in self._readers if reader.client == most)
            is_fair = readers[most] > readers[client] + 1
            if not is_fair and monotonic() < oldest.since + SURE_SECONDS:
                return None
            oldest.end()
            self._readers.remove(oldest)
        reader = Reader(client)
        self._readers.append(reader)
        return reader

    def leave(self, reader: Reader) -> None:
        if reader in self._readers:
            self._readers.remove(reader)

    async def messages(self, reader: Reader) -> AsyncIterator[bytes]:
        sent: dict[str, bytes] = {}
        while not reader.is_over:
            reader.news.clear()
            new = {kind: text for kind, text in self._messages.items() if sent.get(kind) != text}
            sent |= new
            yield b"".join(new.values()) or b":\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(reader.news.wait(), PULSE_SECONDS)

    def close(self) -> None:
        for reader in self._readers:
            reader.end()

    def _receive(self, news: Message) -> None:
        self.edition = news.get("edition", self.edition)
        if "edition" in news:
            self.problem = ""
        self.problem = news.get("problem", self.problem)
        for kind, data in news.items():
            text = json.dumps(data)
            self._messages[kind] = f"event: {kind}\ndata: {text}\n\n".encode()
        for reader in self._readers:
            reader.news.set()


class JournalWatch:
    def __init__(self, path: Path) -> None:
        self._stack = ExitStack()
        self._path = path
        self._is_live = ContestFolder(path).is_in_use
        self._files = self._files_now()
        self.session = served_session(path)
        self.records: dict[str, GameRecord] = {}
        self.analyses: Mapping[str, GameAnalysis] = {}
        self._journal: Journal | None = None
        self._seen = -1
        if (path / JOURNAL).exists() and (path / JOURNAL).stat().st_size:
            folder = self.session.folder
            live = path / JOURNAL
            opened = closing(Journal(live)) if self._is_live else folder.read_journal()
            self._journal = self._stack.enter_context(opened)

    @property
    def has_begun(self) -> bool:
        return self._journal is not None

    @property
    def is_stale(self) -> bool:
        """True if the folder has another contest or journal, or a run has begun there."""
        return self._files_now() != self._files or (self.is_played and not self._is_live)

    @property
    def is_played(self) -> bool:
        return self.session.folder.is_in_use

    def look(self) -> list[GameRecord]:
        if self._journal is None:
            return []
        changes = self._journal.changes()
        if changes == self._seen:
            return []
        records = self._journal.besides(self.records)
        new = [public_record(record, self.session) for record in records]
        self.records.update((record.key, record) for record in new)
        self.analyses = self._journal.analyses()
        self._seen = changes
        return new

    def close(self) -> None:
        self._stack.close()

    def _files_now(self) -> dict[str, tuple[object, ...]]:
        found: dict[str, tuple[object, ...]] = {}
        for name in ("contest.toml", "openings.json", EXCLUDED, JOURNAL):
            with suppress(OSError):
                about = (self._path / name).stat()
                # every game changes the journal of a running contest, which stays the same contest
                is_kept = name == JOURNAL and self._is_live
                when = 0 if is_kept else about.st_mtime_ns
                found[name] = about.st_ino, when, about.st_size > 0
        return found
