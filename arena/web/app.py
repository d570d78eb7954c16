"""What the server answers: the page, its chunks and the stream of news."""

from __future__ import annotations

import asyncio
import gzip
import html
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from arena.rules import Ruleset
from arena.web.boards import Boards
from arena.web.guard import Guard, Hosts, client
from arena.web.hub import Hub, Reader
from arena.web.play import Play

CHUNK = re.compile(r"overview|(bot|games)-[0-9]{1,6}")
"""The names of chunks; nothing else is looked for among the files."""

EDITION = re.compile(r"[1-9][0-9]{0,8}")

NOT_YET = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" \
content="2"><title>Arena</title><p>{problem}; this page comes back by itself."""
"""The page until there is an edition."""

READING = "the games are being read"


def application(hub: Hub, boards: Boards, rules: Ruleset, hosts: Hosts) -> Starlette:
    """Return the application that serves what a hub knows, and games on boards by these rules, to
    whoever asks for one of these hosts."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(hub.run())
        async with boards.open():
            yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def index(request: Request) -> Response:
        if not hub.edition:
            said = html.escape(hub.problem or READING)
            return Response(NOT_YET.format(problem=said), media_type="text/html")
        return _file(request, hub.path("page.html.gz"), "text/html", hub.edition)

    async def chunk(request: Request) -> Response:
        name, of = request.path_params["name"], request.query_params.get("edition", "")
        if not CHUNK.fullmatch(name) or (of and not EDITION.fullmatch(of)):
            return PlainTextResponse("no such data", 404)
        if not hub.edition:
            return PlainTextResponse(hub.problem or READING, 503)
        edition = int(of or hub.edition)
        if not hub.path("overview.json.gz", edition).exists():
            return PlainTextResponse("there is newer data", 410)
        path = hub.path(f"{name}.json.gz", edition)
        return _file(request, path, "application/json", edition)

    async def live(request: Request) -> Response:
        reader = hub.admit(client(request.scope))
        if reader is None:
            return PlainTextResponse("too many readers", 503)
        return _Stream(hub, reader)

    async def icon(_: Request) -> Response:
        return Response(status_code=204)  # browsers ask for one, and note it if there is none

    pages = [
        Route("/", index),
        Route("/favicon.ico", icon),
        Route("/data/{name}", chunk),
        Route("/live", live),
    ]
    return Starlette(
        routes=[*pages, *Play(boards, rules).routes],
        middleware=[Middleware(Guard, hosts=hosts)],
        lifespan=lifespan,
    )


class _Stream(StreamingResponse):
    def __init__(self, hub: Hub, reader: Reader) -> None:
        super().__init__(hub.messages(reader), media_type="text/event-stream")
        self._hub, self._reader = hub, reader

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._hub.leave(self._reader)


def _file(request: Request, path: Path, media_type: str, edition: int) -> Response:
    """Answer with a gzipped file of an edition; with nothing if the client has it already."""
    tag = f'"{edition}"'
    headers = {"etag": tag, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return PlainTextResponse("no such data", 404)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
    else:
        data = gzip.decompress(data)
    return Response(data, media_type=media_type, headers=headers)
