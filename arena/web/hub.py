"""The news of a contest, from the process that publishes it to every reader."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

LINE = 16 << 20
"""Bytes of the longest line that the publisher may print."""

PULSE_SECONDS = 15.0
"""Seconds after which a reader is sent an empty comment, so that one who has gone is noticed."""

MOST_READERS = 250
"""Readers of news at a time."""

MOST_OF_ONE = 100
"""Readers of one client, behind whose address there may be a class."""

SURE_SECONDS = 20.0
"""Seconds that a reader has for sure, if further readers of the same client wait for its place."""

RESTART_SECONDS = 5.0
"""Seconds until the publisher is started again, if it ended."""


@dataclass(eq=False)
class Reader:
    """Somebody who reads the news."""

    client: str
    """Where from."""

    since: float = field(default_factory=monotonic)
    """When the reader came."""

    is_over: bool = False
    """True if the stream must end; a browser then asks for another."""

    news: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when there is something new to tell."""

    def end(self) -> None:
        self.is_over = True
        self.news.set()


class Hub:
    """Starts the publisher, keeps what it said last and passes that on."""

    def __init__(self, folder: Path, target: Path, boards: int) -> None:
        """The publisher writes into `target`; `boards` are those for games of visitors."""
        self._folder, self._target, self._boards = folder, target, boards
        self.edition = 0
        """The number of the last edition; 0 before the first."""
        self.problem = ""
        """Why there is no edition, if there is a reason to tell."""
        self._messages: dict[str, bytes] = {}  # the last of each kind, as it is sent
        self._is_open = True
        self._readers: list[Reader] = []  # the first that came is the first here

    async def run(self) -> None:
        """Keep the publisher running until the task is cancelled."""
        while True:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "arena.web.publisher"),
                *(str(self._folder), str(self._target), str(self._boards)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=LINE,
            )
            assert process.stdout is not None
            try:
                async for line in process.stdout:
                    self._heard(line)
            finally:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
            await asyncio.sleep(RESTART_SECONDS)

    def path(self, name: str, edition: int | None = None) -> Path:
        """Return the file of that name in an edition, by default in the last."""
        return self._target / str(edition or self.edition) / name

    def admit(self, client: str) -> Reader | None:
        """Return a further reader; None if there is no room. `leave` must follow.

        Where there are too many, the client that has most gives a place to one that has fewer. A
        client that has its share gives away its own oldest place, once that is old enough.
        """
        readers = Counter(reader.client for reader in self._readers)
        if readers[client] >= MOST_OF_ONE or len(self._readers) >= MOST_READERS:
            most = (
                client if readers[client] >= MOST_OF_ONE else max(readers, key=readers.__getitem__)
            )
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
        """Yield server-sent events: first the last of each kind, then all that come."""
        sent: dict[str, bytes] = {}
        while self._is_open and not reader.is_over:
            reader.news.clear()
            new = {kind: text for kind, text in self._messages.items() if sent.get(kind) != text}
            sent |= new
            yield b"".join(new.values()) or b":\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(reader.news.wait(), PULSE_SECONDS)

    def close(self) -> None:
        """End all streams of messages."""
        self._is_open = False
        for reader in self._readers:
            reader.end()

    def _heard(self, line: bytes) -> None:
        news = json.loads(line)
        self.edition = news.get("edition", self.edition)
        if "edition" in news:
            self.problem = ""
        self.problem = news.get("problem", self.problem)
        for kind, data in news.items():
            text = json.dumps(data)
            self._messages[kind] = f"event: {kind}\ndata: {text}\n\n".encode()
        for reader in self._readers:
            reader.news.set()
