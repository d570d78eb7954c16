"""The server: uvicorn with tight limits; pages, chunks, and a stream of news."""

from __future__ import annotations

import asyncio
import errno
import gzip
import html
import os
import re
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from arena.common.errors import InputError
from arena.common.home import has_sandbox
from arena.contest.session import Session
from arena.rules import Ruleset
from arena.web.boards import Boards, Play
from arena.web.guard import MOST_HEADERS, Connection, Guard, Hosts, client
from arena.web.hub import Hub, Reader

CHUNK = re.compile(r"overview|(bot|games)-[0-9]{1,6}")  # Names of the only files that are served.
EDITION = re.compile(r"[1-9][0-9]{0,8}")

# The page that is sent before the first edition.
NOT_YET = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" \
content="2"><title>Arena</title><p>{problem}; this page reloads itself."""

READING = "the games are being read"


def application(hub: Hub, boards: Boards, rules: Ruleset, hosts: Hosts) -> Starlette:
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
        return Response(status_code=204)  # without it browsers log an error

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


KEEP_ALIVE_SECONDS = 15  # Seconds for which a connection waits for another request.
END_SECONDS = 2  # Seconds that running responses have to finish when the server ends.


class _Server(uvicorn.Server):
    """uvicorn's server; a signal to stop also ends open streams, by calls of `ending`."""

    def __init__(self, config: uvicorn.Config, *ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        for end in self._ending:
            asyncio.get_running_loop().call_soon_threadsafe(end)


def serve(
    session: Session,
    listener: socket.socket,
    host: str,
    ready: Callable[[], None],
    *,
    games: int,
    proxies: Sequence[str] = (),
) -> None:
    """Serve a contest on a socket until a signal comes; then raise KeyboardInterrupt.

    `ready` is called just before. Visitors can play `games` games at a time. Requests through
    `proxies` count for the client in their header X-Forwarded-For.
    """
    folder = session.folder.path
    if hasattr(signal, "SIGHUP"):  # closing the terminal ends the server cleanly
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    with _temporary_folder() as target:
        hub = Hub(folder, target, games)
        boards = Boards(folder, games)
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            application(hub, boards, session.contest.rules, Hosts(host, port)),
            http=Connection,
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
            h11_max_incomplete_event_size=MOST_HEADERS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=END_SECONDS,
        )
        ready()
        _Server(config, hub.close, boards.close).run(sockets=[listener])


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """Yield a folder. On Linux, a later process removes it if this one is killed."""
    if has_sandbox():
        from arena.game.bot_process import scratch  # needs modules that only Linux has

        with scratch() as folder:
            yield folder
    else:
        with TemporaryDirectory(prefix="arena-", ignore_cleanup_errors=True) as name:
            yield Path(name)


def listen(host: str, port: int) -> socket.socket:
    unknown = InputError(f"--host {host}: is not an address of this machine")
    try:
        family, *_, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        is_ipv6 = family == socket.AF_INET6
        return socket.create_server(address, family=family, backlog=256, dualstack_ipv6=is_ipv6)
    except (socket.gaierror, UnicodeError):
        raise unknown from None
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise unknown from None
        why = os.strerror(error.errno or 0)
        raise InputError(
            f"{host}:{port}: cannot listen there ({why}); take another --port"
        ) from None
