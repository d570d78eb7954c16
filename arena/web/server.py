"""The server: a socket, uvicorn with tight limits, and what runs beside it."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import uvicorn

from arena.contest import Session
from arena.errors import InputError
from arena.referee.zygote import SCRATCHES
from arena.web.app import application
from arena.web.boards import Boards
from arena.web.connections import Connection
from arena.web.guard import MOST_HEADERS, Hosts
from arena.web.hub import Hub

KEEP_ALIVE_SECONDS = 15
"""Seconds for which a connection is kept open for a further request."""

END_SECONDS = 2
"""Seconds that answers under way get when the server is to end."""


class _Server(uvicorn.Server):
    """uvicorn's server, which ends all streams when it is to end."""

    def __init__(self, config: uvicorn.Config, *ending: Callable[[], None]) -> None:
        """`ending` are called when it begins to end."""
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
    idle_seconds: float,
    proxies: Sequence[str] = (),
) -> None:
    """Serve a contest on a socket until a signal comes; `ready` is called once.

    Visitors can play `games` games at a time. A game ends when nothing happens in it for
    `idle_seconds`. Requests from the addresses `proxies` are their clients', as the header
    X-Forwarded-For says. Raises KeyboardInterrupt after it has ended.
    """
    folder = session.folder.path
    # a terminal that is closed ends the server like any other end
    signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    with _scratch() as target:
        hub = Hub(folder, target, games)
        boards = Boards(folder, games, idle_seconds)
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
def _scratch() -> Iterator[Path]:
    """Yield a folder that goes with the server.

    It is locked like those of zygotes: if the server is killed, whoever starts a zygote next
    removes it.
    """
    folder = tempfile.mkdtemp(prefix=SCRATCHES)
    lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there. Raises InputError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise InputError(f"--host {host}: no address of this machine") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(256)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise InputError(f"--host {host}: no address of this machine") from None
        raise InputError(
            f"{host}:{port}: cannot listen there ({error.strerror}); take another --port"
        ) from None
    return listener
