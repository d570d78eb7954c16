"""The server: a socket, uvicorn with tight limits, and what runs beside it."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn

from arena.contest import Session
from arena.errors import InputError
from arena.web.app import application
from arena.web.boards import Boards
from arena.web.guard import Hosts
from arena.web.hub import Hub

MOST_HEADERS = 16_384
"""Bytes of a request's first line and headers."""

KEEP_ALIVE_SECONDS = 15
"""Seconds for which a connection is kept open for a further request."""

END_SECONDS = 2
"""Seconds that answers under way get when the server is to end."""


class _Server(uvicorn.Server):
    """uvicorn's server, which ends all streams when it is to end."""

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; called by a signal."""
        super().handle_exit(sig, frame)
        asyncio.get_running_loop().call_soon_threadsafe(self._hub.close)


def serve(
    session: Session,
    listener: socket.socket,
    host: str,
    ready: Callable[[], None],
    *,
    games: int,
    idle_seconds: float,
) -> None:
    """Serve a contest on a socket until a signal comes; `ready` is called once.

    Visitors can play so many games at a time, which end when nothing happens in them for so many
    seconds. Raises KeyboardInterrupt after it has ended.
    """
    folder = session.folder.path
    with tempfile.TemporaryDirectory(prefix="arena-web-") as target:
        hub = Hub(folder, Path(target), games)
        boards = Boards(folder, games, idle_seconds)
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            application(hub, boards, session.contest.rules, Hosts(host, port)),
            http="h11",
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=MOST_HEADERS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=END_SECONDS,
        )
        ready()
        _Server(config, hub).run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there. Raises InputError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise InputError(f"--host {host}: no such address on this machine") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(256)
    except OSError as error:
        listener.close()
        raise InputError(
            f"{host}:{port}: cannot listen there ({error.strerror}); take another --port"
        ) from None
    return listener
