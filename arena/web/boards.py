"""Visitors' games against bots: the boards, and the requests of the page.

A few games are played at a time. A game's id cannot be guessed, so only the visitor who began the
game can see it or move in it.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, TypeGuard

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.common.errors import IllegalMoveError, InputError
from arena.common.system import available_cores
from arena.rules import Position, Ruleset
from arena.web.guard import body, client
from arena.web.processes import READERS, Message, ServerProcess, lower_priority

IDLE_SECONDS = 300.0  # Seconds without a move after which a game ends.
KEPT_SECONDS = 60.0  # Seconds for which an ended game is kept.
CLEAR_SECONDS = 1.0  # Seconds between two looks for idle and ended games.
SHARE = 2  # One client may use at most 1/SHARE of the boards.

# Seconds to wait for a board if none is ready, and seconds between two checks.
READY_SECONDS, LOOK_SECONDS = 10.0, 0.1
STARTING_SECONDS = 30.0  # Seconds to wait for a board before the next one is started.
TAKEN = "all boards are taken; try again in a few minutes"
BROKEN = "this machine stopped the game, which is not the bot's fault"
STARTING = "a board is being set up; try again in a moment"
MANY = "you play on several boards already; leave some to others"
ENDED = "the server has ended"
IDLE = "nothing happened for too long, so the game was ended"


@dataclass
class ServedGame:
    person: int
    moves: list[int]
    client: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    version: int = 0
    thinking: bool = True
    rest: dict[str, Any] = field(default_factory=dict)
    """Further data that the board sent: `answers`, `loading`, `over`."""

    problem: str = ""
    at: float = field(default_factory=monotonic)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

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
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.version <= version:
                    await self.changed.wait()


class BoardProcess:
    def __init__(self, folder: Path, core: int) -> None:
        self._process = ServerProcess("arena.web.board", folder, core)
        self.is_ready = False
        self.was_ready = asyncio.Event()
        self.game: ServedGame | None = None

    async def run(self) -> None:
        await self._process.run(self._receive, self._lose)

    def begin(self, game: ServedGame, bot: str) -> None:
        self.game, self.is_ready = game, False
        self._process.order({"bot": bot, "person": game.person, "moves": game.moves})

    def move(self, column: int) -> None:
        assert self.game is not None
        self.game.moves = [*self.game.moves, column]
        self.game.thinking = True
        self._process.order({"column": column})

    def leave(self, why: str) -> None:
        """End the board's game; it is ready again when the bot's process has ended."""
        self._end_game(why)
        self._process.order({"leave": True})
        self._process.leave()

    def _lose(self) -> None:
        self.is_ready = False
        self._end_game(BROKEN)

    def _end_game(self, why: str) -> None:
        game, self.game = self.game, None
        if game is not None and not game.is_over:
            game.problem, game.thinking = why, False
            game.mark_changed()

    def _receive(self, message: Message) -> None:
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
    def __init__(self, folder: Path, count: int) -> None:
        cores = available_cores()
        self._boards = [BoardProcess(folder, cores[number % len(cores)]) for number in range(count)]
        self.games: dict[str, ServedGame] = {}

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Run the boards' processes; start them one by one, to disturb a contest little."""
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
        share = max(1, len(self._boards) // SHARE)
        end = monotonic() + READY_SECONDS
        while True:
            mine = sum(each.client == client and not each.is_over for each in self.games.values())
            if mine >= share and client != "::1" and not client.startswith("127."):
                raise InputError(MANY)  # also after a wait, as another game may have begun
            board = next((each for each in self._boards if each.is_ready), None)
            if board is not None:
                break
            if all(each.game is not None for each in self._boards):
                raise InputError(TAKEN)
            if monotonic() >= end:
                raise InputError(STARTING)
            await asyncio.sleep(LOOK_SECONDS)
        game = ServedGame(person=person, moves=moves, client=client)
        self.games[game.id] = game
        board.begin(game, bot)
        return game

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
        while True:
            await asyncio.sleep(CLEAR_SECONDS)
            now = monotonic()
            for game in list(self.games.values()):
                if not game.is_over and now > game.at + IDLE_SECONDS:
                    self.leave(game, IDLE)
                elif game.is_over and now > game.at + KEPT_SECONDS:
                    del self.games[game.id]


MOVE_SECONDS = 10.0  # Seconds for which the response to a move waits for the bot's move.
NEWS_SECONDS = 20.0  # Seconds for which a response waits for a new version.
MOST_WAITING = 100  # Waiting requests of one client; a course may share an address.
Endpoint = Callable[[Request], Awaitable[ServedGame]]
LEFT = "you left the game"
BAD = "not a request of this page"


class Play:
    def __init__(self, boards: Boards, rules: Ruleset) -> None:
        self._boards, self._rules = boards, rules
        self._waiting: Counter[str] = Counter()  # unanswered requests by client

    @property
    def routes(self) -> list[Route]:
        return [
            Route("/play", self._shared(self.begin), methods=["POST"]),
            Route("/play/{id}", self._shared(self.see), methods=["GET"]),
            Route("/play/{id}", self._shared(self.move), methods=["POST"]),
            Route("/play/{id}/leave", self._shared(self.leave), methods=["POST"]),
        ]

    def _shared(self, answer: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def shared(request: Request) -> Response:
            who = client(request.scope)
            if self._waiting[who] >= MOST_WAITING:
                return _problem("too many requests from your address; try again", 503)
            self._waiting[who] += 1
            try:
                return JSONResponse((await answer(request)).state())
            except HTTPException as error:
                return _problem(error.detail, error.status_code)
            finally:
                self._waiting[who] -= 1
                if not self._waiting[who]:
                    del self._waiting[who]

        return shared

    async def begin(self, request: Request) -> ServedGame:
        data = await _json_object(request)
        bot, person, moves = data.get("bot"), data.get("person"), data.get("moves")
        if not isinstance(bot, str) or not _is_number(person, 2) or not isinstance(moves, list):
            raise HTTPException(400, BAD)
        if not all(_is_number(column, self._rules.columns) for column in moves):
            raise HTTPException(400, BAD)
        try:
            if Position(self._rules, tuple(moves)).is_over:
                raise HTTPException(400, "this game is over already")
            game = await self._boards.begin(bot, person, moves, client(request.scope))
        except IllegalMoveError as error:
            raise HTTPException(400, str(error)) from None
        except InputError as error:
            raise HTTPException(503, str(error)) from None
        await game.wait(0, MOVE_SECONDS)
        return game

    async def see(self, request: Request) -> ServedGame:
        """Return a game at once or, with `?after=12`, after version 12."""
        game = self._find(request)
        after = request.query_params.get("after", "")
        if after.isdecimal() and len(after) < 10 and not game.is_over:
            await game.wait(int(after), NEWS_SECONDS)
        return game

    async def move(self, request: Request) -> ServedGame:
        """Play a move: {"ply": discs so far, "column": column}."""
        game = self._find(request)
        data = await _json_object(request)
        position = Position(self._rules, tuple(game.moves))
        if game.is_over or game.thinking or data.get("ply") != position.ply:
            raise HTTPException(409, "it is not your turn")
        column = data.get("column")
        if not _is_number(column, self._rules.columns) or not position.can_play(column):
            raise HTTPException(400, "this column cannot be played")
        self._boards.move(game, column)
        version = game.version
        while game.thinking and not game.is_over:
            await game.wait(version, MOVE_SECONDS)
            if game.version == version:
                break
            version = game.version
        return game

    async def leave(self, request: Request) -> ServedGame:
        game = self._find(request)
        self._boards.leave(game, LEFT)
        return game

    def _find(self, request: Request) -> ServedGame:
        if (game := self._boards.games.get(request.path_params["id"])) is None:
            raise HTTPException(404, "this game no longer exists")
        return game


async def _json_object(request: Request) -> dict[str, Any]:
    data = await body(request.receive)
    with suppress(ValueError, RecursionError):
        if isinstance(found := json.loads(data or b""), dict):
            return found
    raise HTTPException(400, BAD)


def _is_number(value: Any, below: int) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < below


def _problem(problem: str, status: int) -> Response:
    return JSONResponse({"problem": problem}, status)
