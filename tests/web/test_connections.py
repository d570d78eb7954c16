"""Clients with an incomplete request or an unread answer."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from threading import Semaphore, Thread
from time import sleep

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from arena.web import guard
from arena.web.guard import Connection
from support.served import PATIENCE, read_all, wait_for

LONG = 64 << 20  # Bytes of an answer that no buffer holds.


waiting = Semaphore(0)  # Released by each request for /wait.
lost: set[object] = set()  # Addresses of clients whose connections have ended.


class Noted(Connection):
    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        lost.add(self.client)


async def answer(request: Request) -> PlainTextResponse:
    await request.body()
    if request.url.path == "/wait":
        waiting.release()
    while request.url.path == "/wait" and not await request.is_disconnected():
        await asyncio.sleep(0.05)
    return PlainTextResponse("x" * (LONG if request.url.path == "/long" else 4))


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server with little patience, and room for 20 connections."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "OWED_SECONDS", 0.3)
        patch.setattr(guard, "UNREAD_SECONDS", 0.3)
        patch.setattr(guard, "MOST_OF_ONE", 20)
        listener = socket.create_server(("127.0.0.1", 0))
        app = Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])
        server = uvicorn.Server(
            uvicorn.Config(app, http=Noted, ws="none", log_level="critical", forwarded_allow_ips=[])
        )
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()


def connect(port: int, text: bytes = b"") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    client.sendall(text)
    return client


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"G",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: ",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12",
    ],
)
def test_a_client_that_does_not_end_its_request_is_sent_away(port: int, text: bytes) -> None:
    with connect(port, text) as client:
        read_all(client)  # which ends when the connection does


def test_a_client_that_sends_a_byte_now_and_then_is_sent_away(port: int) -> None:
    with connect(port, b"GET / HTTP/1.1\r\nHost: x\r\n") as client, pytest.raises(OSError):
        while True:
            client.sendall(b"X")
            sleep(0.05)


def test_a_client_that_does_not_read_is_sent_away(port: int) -> None:
    with connect(port, b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n") as client:
        wait_for(lambda: client.getsockname() in lost)
        assert len(read_all(client)) < LONG


@pytest.mark.slow
def test_a_client_may_ask_again_on_its_connection(port: int) -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    with connect(port, request) as client:
        for _ in range(2):
            said = b""
            while not said.endswith(b"xxxx"):
                part = client.recv(4096)
                assert part
                said += part
            sleep(0.4)  # longer than the rest of a request may take
            client.sendall(request)


@pytest.mark.parametrize("text", [b"", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"])
def test_of_too_many_connections_those_that_owe_a_request_make_room(port: int, text: bytes) -> None:
    owing = [connect(port, text) for _ in range(100)]
    with connect(port, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") as client:
        assert read_all(client).endswith(b"xxxx")
    for client in owing:
        client.close()


def test_where_all_wait_for_answers_the_next_is_answered_with_503(port: int) -> None:
    clients = [connect(port, b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(20)]
    assert all(waiting.acquire(timeout=PATIENCE) for _ in clients)
    with connect(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") as client:
        assert read_all(client).startswith(b"HTTP/1.1 503")
    for client in clients:
        client.close()
