"""The boards of a server: visitors' games against bots, a few at a time.

A game's id cannot be guessed, so only the visitor who began the game can see it or move in it.
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
from arena.web.masks import READERS, lower_priority

LINE = 1 << 20  # Bytes of a board's longest line.
KEPT_SECONDS = 60.0  # Seconds for which an ended game is kept.
CLEAR_SECONDS = 1.0  # Seconds between two looks for idle and ended games.
SHARE = 2  # One client may use at most 1/SHARE of the boards.

# Seconds to wait for a board if none is ready, and seconds between two checks.
READY_SECONDS, LOOK_SECONDS = 10.0, 0.1
STARTING_SECONDS = 30.0  # Seconds to wait for a board before the next one is started.
RESTART_SECONDS = 1.0  # Seconds until a process that has ended is replaced.
END_SECONDS = 5.0  # Seconds before a board's process is killed.
TAKEN = "all boards are taken; try again in a few minutes"
BROKEN = "this machine stopped the game, which is not the bot's fault"
STARTING = "a board is being set up; try again in a moment"
MANY = "you play on several boards already; leave some to others"
ENDED = "the server has ended"
IDLE = "nothing happened for too long, so the game was ended"


@dataclass
class ServedGame:
    person: int
    """The player that the visitor is, 0 or 1."""

    moves: list[int]
    """Columns from the empty board."""

    client: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    version: int = 0
    """Number of changes so far."""

    thinking: bool = True
    """True if it is the bot's turn."""

    rest: dict[str, Any] = field(default_factory=dict)
    """Further data that the board sent: `answers`, `loading`, `over`."""

    problem: str = ""
    """Why the game ended without a result; else empty."""

    at: float = field(default_factory=monotonic)

    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at every change, then replaced by a new event."""

    @property
    def is_over(self) -> bool:
        return bool(self.problem) or "over" in self.rest

    def state(self) -> dict[str, Any]:
        return {
            "game": self.id,
            "version": self.version,
            "person": self.person,
            "moves": self.moves,
            "thinking": self.thinking,
            "problem": self.problem,
        } | self.rest

    def mark_changed(self) -> None:
        self.version += 1
        self.at = monotonic()
        self.changed.set()
        self.changed = asyncio.Event()

    async def wait(self, version: int, seconds: float) -> None:
        """Wait until the version is above `version`, at most `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.version <= version:
                    await self.changed.wait()


class BoardProcess:
    def __init__(self, folder: Path, core: int) -> None:
        self._folder, self._core = folder, core
        self._process: asyncio.subprocess.Process | None = None
        self.is_ready = False
        self.was_ready = asyncio.Event()
        """Set when its process is ready for the first time."""
        self.game: ServedGame | None = None

    async def run(self) -> None:
        """Keep the board's process running until the task is cancelled."""
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
                    self._receive(json.loads(line))
            finally:
                self.is_ready = False
                self._end_game(BROKEN)
                await _end(process)
            await asyncio.sleep(RESTART_SECONDS)

    def begin(self, game: ServedGame, bot: str) -> None:
        self.game, self.is_ready = game, False
        self._order({"bot": bot, "person": game.person, "moves": game.moves})

    def move(self, column: int) -> None:
        assert self.game is not None
        self.game.moves = [*self.game.moves, column]
        self.game.thinking = True
        self._order({"column": column})

    def leave(self, why: str) -> None:
        """End the board's game.

        The board is ready again when the bot's process has ended.
        """
        self._end_game(why)
        self._order({"leave": True})
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(LEAVE)

    def _order(self, order: dict[str, Any]) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")

    def _end_game(self, why: str) -> None:
        game, self.game = self.game, None
        if game is not None and not game.is_over:
            game.problem, game.thinking = why, False
            game.mark_changed()

    def _receive(self, message: dict[str, Any]) -> None:
        if "ready" in message or "left" in message:
            self.is_ready = True
            self.was_ready.set()
        elif "problem" in message:
            self._end_game(message["problem"])
            self.is_ready = True
        else:
            if (game := self.game) is not None:
                game.moves, game.thinking = message.pop("moves"), message.pop("thinking")
                game.rest = message
                game.mark_changed()
            if "over" in message:
                self.game, self.is_ready = None, True


class Boards:
    def __init__(self, folder: Path, count: int, idle_seconds: float) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self._boards = [BoardProcess(folder, cores[number % len(cores)]) for number in range(count)]
        self._idle_seconds = idle_seconds
        self._games: dict[str, ServedGame] = {}

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Run the boards' processes while the block runs.

        The processes start one by one, to disturb a running contest little.
        """
        tasks = [asyncio.create_task(self._clear())]

        async def start() -> None:
            for board in self._boards:
                tasks.append(asyncio.create_task(board.run()))
                with suppress(TimeoutError):
                    await asyncio.wait_for(board.was_ready.wait(), STARTING_SECONDS)
            lower_priority(READERS)

        tasks.append(asyncio.create_task(start()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def begin(self, bot: str, person: int, moves: list[int], client: str) -> ServedGame:
        """Begin a game once a board is ready. Raises InputError if no board is free."""
        share = max(1, len(self._boards) // SHARE)
        end = monotonic() + READY_SECONDS
        while True:
            mine = sum(each.client == client and not each.is_over for each in self._games.values())
            if not _is_this_machine(client) and mine >= share:
                raise InputError(
                    MANY
                )  # checked again after each wait, as another game may have begun
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
        return self._games.get(id)

    def move(self, game: ServedGame, column: int) -> None:
        for board in self._boards:
            if board.game is game:
                board.move(column)

    def leave(self, game: ServedGame, why: str) -> None:
        for board in self._boards:
            if board.game is game:
                board.leave(why)

    def close(self) -> None:
        for board in self._boards:
            if board.game is not None:
                board.leave(ENDED)

    async def _clear(self) -> None:
        """End games that are idle for too long, and forget ended games."""
        while True:
            await asyncio.sleep(CLEAR_SECONDS)
            now = monotonic()
            for game in list(self._games.values()):
                if not game.is_over and now > game.at + self._idle_seconds:
                    self.leave(game, IDLE)
                elif game.is_over and now > game.at + KEPT_SECONDS:
                    del self._games[game.id]


async def _end(process: asyncio.subprocess.Process) -> None:
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
