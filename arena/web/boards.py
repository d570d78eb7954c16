"""The boards of a server: games that visitors play against bots, a few at a time.

Who began a game has its id, which nobody can guess; without it nobody can move in it or see it.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from time import monotonic
from typing import Any

from arena.common.errors import InputError
from arena.web.board import LEAVE
from arena.web.masks import READERS, stand_back

LINE = 1 << 20
"""Bytes of the longest line that a board prints."""

KEPT_SECONDS = 60.0
"""Seconds for which a game that has ended can still be asked for."""

SHARE = 2
"""One address of the network may have one in so many of the boards."""

READY_SECONDS, LOOK_SECONDS = 10.0, 0.1
"""Seconds that somebody waits for a board that is free and not ready yet, and between two looks."""

STARTING_SECONDS = 30.0
"""Seconds after which a board that is not ready no longer keeps the next from being started."""

RESTART_SECONDS = 1.0
"""Seconds until a board whose process ended is set up again."""

END_SECONDS = 5.0
"""Seconds in which a board is to end by itself."""

TAKEN = "all boards are taken; try again in a few minutes"
BROKEN = "the game was broken off by this machine, which is not the bot's fault"
STARTING = "a board is being set up; try again in a moment"
MANY = "you play on several boards already; leave some to others"
ENDED = "the server has ended"
IDLE = "nothing happened for too long, so the game was ended"


@dataclass
class ServedGame:
    """A game of a visitor, as far as it is known."""

    person: int
    """The visitor's player, 0 or 1."""

    moves: list[int]
    """All columns from the empty board."""

    client: str
    """The address of who began it."""

    id: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """By which it is asked for."""

    version: int = 0
    """Grows with everything that happens."""

    thinking: bool = True
    """True if it is the bot's turn."""

    rest: dict[str, Any] = field(default_factory=dict)
    """What else the board told last: `answers`, `loading`, `over`."""

    problem: str = ""
    """Why it ended without a result; empty if it did not."""

    at: float = field(default_factory=monotonic)
    """When anything happened last."""

    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set, and replaced, when anything happens."""

    @property
    def is_over(self) -> bool:
        """True if nobody can move in it any more."""
        return bool(self.problem) or "over" in self.rest

    def told(self) -> dict[str, Any]:
        """Return how it stands, for the visitor."""
        return {
            "game": self.id,
            "version": self.version,
            "person": self.person,
            "moves": self.moves,
            "thinking": self.thinking,
            "problem": self.problem,
        } | self.rest

    def happened(self) -> None:
        self.version += 1
        self.at = monotonic()
        self.changed.set()
        self.changed = asyncio.Event()

    async def wait(self, version: int, seconds: float) -> None:
        """Wait until there is a later version, at most for so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.version <= version:
                    await self.changed.wait()


class BoardProcess:
    """One board: its process, and the game that is played there."""

    def __init__(self, folder: Path, core: int) -> None:
        self._folder, self._core = folder, core
        self._process: asyncio.subprocess.Process | None = None
        self.is_ready = False
        """True if a game can begin on it."""
        self.was_ready = asyncio.Event()
        """Set when its process was ready for the first time."""
        self.game: ServedGame | None = None
        """The game that is played on it."""

    async def run(self) -> None:
        """Keep its process running until the task is cancelled."""
        while True:
            self._process = process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "arena.web.board", str(self._folder), str(self._core)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=LINE,
            )
            assert process.stdout is not None
            try:
                async for line in process.stdout:
                    self._heard(json.loads(line))
            finally:
                self.is_ready = False
                self._end_game(BROKEN)
                await _end(process)
            await asyncio.sleep(RESTART_SECONDS)

    def begin(self, game: ServedGame, bot: str) -> None:
        """Have a game played on it."""
        self.game, self.is_ready = game, False
        self._order({"bot": bot, "person": game.person, "moves": game.moves})

    def move(self, column: int) -> None:
        """Play the visitor's move, which must be possible."""
        assert self.game is not None
        self.game.moves = [*self.game.moves, column]
        self.game.thinking = True
        self._order({"column": column})

    def leave(self, why: str) -> None:
        """End its game; it is ready again when the bot's process has ended."""
        self._end_game(why)
        self._order({"leave": True})
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(LEAVE)

    def _order(self, order: dict[str, Any]) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")

    def _end_game(self, why: str) -> None:
        """Take the game off the board; `why` is told unless it was over."""
        game, self.game = self.game, None
        if game is not None and not game.is_over:
            game.problem, game.thinking = why, False
            game.happened()

    def _heard(self, told: dict[str, Any]) -> None:
        if "ready" in told or "left" in told:
            self.is_ready = True
            self.was_ready.set()
        elif "problem" in told:
            self._end_game(told["problem"])
            self.is_ready = True
        else:
            if (game := self.game) is not None:
                game.moves, game.thinking = told.pop("moves"), told.pop("thinking")
                game.rest = told
                game.happened()
            if "over" in told:
                self.game, self.is_ready = None, True


class Boards:
    """All boards of a server, and the games on them."""

    def __init__(self, folder: Path, count: int, idle_seconds: float) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self._boards = [BoardProcess(folder, cores[number % len(cores)]) for number in range(count)]
        self._idle_seconds = idle_seconds
        self._games: dict[str, ServedGame] = {}

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Keep the boards' processes while the block lasts.

        They are started one by one, so that a contest is not disturbed by all at once; then this
        process stands back.
        """
        tasks = [asyncio.create_task(self._clear())]

        async def start() -> None:
            for board in self._boards:
                tasks.append(asyncio.create_task(board.run()))
                with suppress(TimeoutError):
                    await asyncio.wait_for(board.was_ready.wait(), STARTING_SECONDS)
            stand_back(READERS)

        tasks.append(asyncio.create_task(start()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def begin(self, bot: str, person: int, moves: list[int], client: str) -> ServedGame:
        """Begin a game, when a board is ready. Raises InputError if there is none for it."""
        share = max(1, len(self._boards) // SHARE)
        end = monotonic() + READY_SECONDS
        while True:
            mine = sum(each.client == client and not each.is_over for each in self._games.values())
            if not _is_this_machine(client) and mine >= share:
                raise InputError(MANY)  # perhaps by a game that began while this one waited
            board = next((each for each in self._boards if each.is_ready), None)
            if board is not None:
                break
            if all(each.game is not None for each in self._boards):
                raise InputError(TAKEN)
            if monotonic() >= end:
                raise InputError(STARTING)
            await asyncio.sleep(LOOK_SECONDS)
        game = ServedGame(person=person, moves=moves, client=client)
        self._games[game.id] = game
        board.begin(game, bot)
        return game

    def find(self, id: str) -> ServedGame | None:
        """Return the game with that id."""
        return self._games.get(id)

    def move(self, game: ServedGame, column: int) -> None:
        for board in self._boards:
            if board.game is game:
                board.move(column)

    def leave(self, game: ServedGame, why: str) -> None:
        """End a game that is not over."""
        for board in self._boards:
            if board.game is game:
                board.leave(why)

    def close(self) -> None:
        for board in self._boards:
            if board.game is not None:
                board.leave(ENDED)

    async def _clear(self) -> None:
        """End games in which nothing happens, and forget those that have ended."""
        while True:
            await asyncio.sleep(1.0)
            now = monotonic()
            for game in list(self._games.values()):
                if not game.is_over and now > game.at + self._idle_seconds:
                    self.leave(game, IDLE)
                elif game.is_over and now > game.at + KEPT_SECONDS:
                    del self._games[game.id]


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a board's process; if it does not end by itself, at once."""
    if process.stdin is not None:
        process.stdin.close()
    with suppress(ProcessLookupError):
        process.send_signal(LEAVE)
    try:
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _is_this_machine(client: str) -> bool:
    try:
        return ip_address(client).is_loopback
    except ValueError:
        return False
