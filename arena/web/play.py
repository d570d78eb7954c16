"""Games against bots over HTTP: checks the requests, and answers in JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, TypeGuard

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.common.errors import IllegalMoveError, InputError
from arena.rules import Position, Ruleset
from arena.web.boards import Boards, ServedGame
from arena.web.guard import body, client

MOVE_SECONDS = 10.0  # Seconds for which the response to a move waits for the bot's move.
NEWS_SECONDS = 20.0  # Seconds for which a response waits for a new version.
MOST_WAITING = 100  # Waiting requests of one client; a course may share an address.
Endpoint = Callable[[Request], Awaitable[Response]]
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

    def _shared(self, answer: Endpoint) -> Endpoint:
        """Return an endpoint that limits one client's waiting requests."""

        async def shared(request: Request) -> Response:
            who = client(request.scope)
            if self._waiting[who] >= MOST_WAITING:
                return _problem("too many requests from your address; try again", 503)
            self._waiting[who] += 1
            try:
                return await answer(request)
            finally:
                self._waiting[who] -= 1
                if not self._waiting[who]:
                    del self._waiting[who]

        return shared

    async def begin(self, request: Request) -> Response:
        """Begin a game: {"bot": name, "person": 0 or 1, "moves": columns so far}."""
        data = await _json_object(request)
        if data is None:
            return _problem(BAD, 400)
        bot, person, moves = data.get("bot"), data.get("person"), data.get("moves")
        if not isinstance(bot, str) or not _is_number(person, 2) or not isinstance(moves, list):
            return _problem(BAD, 400)
        try:
            if not all(_is_number(column, self._rules.columns) for column in moves):
                return _problem(BAD, 400)
            if Position(self._rules, tuple(moves)).is_over:
                return _problem("this game is over already", 400)
            game = await self._boards.begin(bot, person, moves, client(request.scope))
        except IllegalMoveError as error:
            return _problem(str(error), 400)
        except InputError as error:
            return _problem(str(error), 503)
        await game.wait(0, MOVE_SECONDS)
        return JSONResponse(game.state())

    async def see(self, request: Request) -> Response:
        """Return a game's state at once or, with `?after=12`, after version 12."""
        if (game := self._find(request)) is None:
            return _problem("this game no longer exists", 404)
        after = request.query_params.get("after", "")
        if after.isdecimal() and len(after) < 10 and not game.is_over:
            await game.wait(int(after), NEWS_SECONDS)
        return JSONResponse(game.state())

    async def move(self, request: Request) -> Response:
        """Play a move: {"ply": discs so far, "column": column}."""
        data = await _json_object(request)
        if (game := self._find(request)) is None:
            return _problem("this game no longer exists", 404)
        if data is None:
            return _problem(BAD, 400)
        position = Position(self._rules, tuple(game.moves))
        if game.is_over or game.thinking or data.get("ply") != position.ply:
            return _problem("it is not your turn", 409)
        column = data.get("column")
        if not _is_number(column, self._rules.columns) or not position.can_play(column):
            return _problem("this column cannot be played", 400)
        self._boards.move(game, column)
        version = game.version
        while game.thinking and not game.is_over:
            await game.wait(version, MOVE_SECONDS)
            if game.version == version:
                break
            version = game.version
        return JSONResponse(game.state())

    async def leave(self, request: Request) -> Response:
        if (game := self._find(request)) is None:
            return _problem("this game no longer exists", 404)
        self._boards.leave(game, LEFT)
        return JSONResponse(game.state())

    def _find(self, request: Request) -> ServedGame | None:
        return self._boards.find(request.path_params["id"])


async def _json_object(request: Request) -> dict[str, Any] | None:
    """Return a request's JSON object; None if it sends none or is too slow."""
    data = await body(request.receive)
    try:
        data = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _is_number(value: Any, below: int) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < below


def _problem(problem: str, status: int) -> Response:
    return JSONResponse({"problem": problem}, status)
