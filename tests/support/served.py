"""A running server, and requests to it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple, TypeVar

from support.command_line import started

T = TypeVar("T")
PATIENCE = 150.0  # Longest wait of a test, in seconds.


def awaited(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread: the browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


class Said(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Served:
    """A running `arena serve`."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port

    def get(self, path: str, **headers: str) -> Said:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, data: object, **headers: str) -> Said:
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        return self.ask("POST", path, body, {"Content-Type": "application/json"} | headers)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Said:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Said(answer.status, names, answer.read())
        finally:
            connection.close()

    def connect(self, text: bytes = b"", source: str = "") -> socket.socket:
        """Open a connection, perhaps from another address of this machine, and send `text`."""
        client = socket.create_connection(("127.0.0.1", self.port), PATIENCE, (source, 0))
        client.sendall(text)
        return client

    def raw(self, text: bytes) -> bytes:
        """Send `text` and return everything received until the connection ends."""
        with self.connect(text) as client:
            return read_all(client)

    def begin(self, bot: str, person: int = 0, moves: tuple[int, ...] = ()) -> dict[str, Any]:
        """Start a game once a board is free; return it at the visitor's turn."""
        asked = {"bot": bot, "person": person, "moves": list(moves)}
        found = wait_for(
            lambda: said if (said := self.post("/play", asked)).status == 200 else None
        )
        return self.followed(found.json)

    def followed(self, game: dict[str, Any]) -> dict[str, Any]:
        """Return a game at the visitor's turn, or when it is over."""
        while game["thinking"]:
            game = self.get(f"/play/{game['game']}?after={game['version']}").json
        return game

    def move(self, game: dict[str, Any], column: int) -> dict[str, Any]:
        """Play a move and return the game after the bot's answer."""
        move = {"ply": len(game["moves"]), "column": column}
        said = self.post(f"/play/{game['game']}", move)
        assert said.status == 200, said
        return self.followed(said.json)

    def leave(self, game: dict[str, Any]) -> None:
        self.post(f"/play/{game['game']}/leave", {})

    def family(self) -> set[tuple[int, str]]:
        """Return the process and all its descendants as (id, start)."""
        found = {self.process.pid}
        parents = {pid: parent for pid, parent, _ in _processes()}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return {(pid, start) for pid, _, start in _processes() if pid in found}

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def alive(family: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Return those of these processes that still run."""
    return family & {(pid, start) for pid, _, start in _processes()}


@contextmanager
def served(folder: Path, *options: str) -> Iterator[Served]:
    """Serve a contest; yields once its pages are there."""
    with started("serve", folder, "--port", 0, *options, stderr=None) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line
        server = Served(process, int(found[1]))
        try:
            wait_for(lambda: server.get("/data/overview").status == 200)
            yield server
        finally:
            server.end(signal.SIGTERM)


def wait_for(found: Callable[[], T | None]) -> T:
    """Return the first true result of `found`. Raises AssertionError."""
    end = monotonic() + PATIENCE
    while monotonic() < end:
        if value := found():
            return value
        sleep(0.1)
    raise AssertionError("it never came")


def read_all(client: socket.socket) -> bytes:
    parts = []
    with suppress(ConnectionError):
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


def _processes() -> Iterator[tuple[int, int, str]]:
    """Yield (id, parent, start) of every running process."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            if fields[0] not in "ZX":
                yield int(name), int(fields[1]), fields[19]
