"""The news of a contest, from the process that publishes it to every reader."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

LINE = 16 << 20
"""Bytes of the longest line that the publisher may print."""

PULSE_SECONDS = 15.0
"""Seconds after which a reader is sent an empty comment, so that one who has gone is noticed."""

MOST_READERS = 250
"""Readers who can be told of news at a time."""

RESTART_SECONDS = 5.0
"""Seconds until the publisher is started again, if it ended."""


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
        self._changed = asyncio.Event()
        self._is_open = True
        self._readers = 0

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

    @property
    def is_crowded(self) -> bool:
        """True if there are as many readers as there may be."""
        return self._readers >= MOST_READERS

    async def messages(self) -> AsyncIterator[bytes]:
        """Yield server-sent events: first the last of each kind, then all that come."""
        self._readers += 1
        try:
            async for message in self._messages_so_far():
                yield message
        finally:
            self._readers -= 1

    async def _messages_so_far(self) -> AsyncIterator[bytes]:
        sent: dict[str, bytes] = {}
        while self._is_open:
            changed = self._changed
            new = {kind: text for kind, text in self._messages.items() if sent.get(kind) != text}
            sent |= new
            yield b"".join(new.values()) or b":\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), PULSE_SECONDS)

    def close(self) -> None:
        """End all streams of messages."""
        self._is_open = False
        self._changed.set()

    def _heard(self, line: bytes) -> None:
        """Take note of a line of the publisher."""
        news = json.loads(line)
        self.edition = news.get("edition", self.edition)
        if "edition" in news:
            self.problem = ""
        self.problem = news.get("problem", self.problem)
        for kind, data in news.items():
            text = json.dumps(data)
            self._messages[kind] = f"event: {kind}\ndata: {text}\n\n".encode()
        self._changed.set()
        self._changed = asyncio.Event()
