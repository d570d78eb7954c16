"""Requests that a page on the internet or a harmful program can cause."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message

from arena.web.guard import MOST_BODY, Guard, Hosts, body
from support.served import awaited

HERE = "127.0.0.1:8000"
JSON = {"content-type": "application/json"}


class Said(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


async def answer(request: Request) -> Response:
    data = await body(request.receive)
    return PlainTextResponse("too much" if data is None else "fine")


APP = Guard(
    Starlette(
        routes=[Route("/", answer), Route("/x", answer), Route("/play", answer, methods=["POST"])]
    ),
    Hosts("127.0.0.1", 8000),
)


def ask(
    method: str, path: str, headers: dict[str, str] | None = None, content: bytes = b""
) -> Said:
    """Ask the application without a network."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    given = {"host": HERE} | (headers or {})
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    awaited(APP(scope, receive, send))
    names = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    text = b"".join(message["body"] for message in sent[1:]).decode()
    return Said(sent[0]["status"], names, text)


@pytest.mark.parametrize("host", [HERE, "localhost:8000", "[::1]:8000", "LOCALHOST:8000"])
def test_this_machine_may_ask_by_any_of_its_own_names(host: str) -> None:
    assert ask("GET", "/", {"host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example:8000", "evil.example", "127.0.0.1", "127.0.0.1:8001", "localhost"),
        *("127.0.0.1.evil.example:8000", "evil@127.0.0.1:8000", "127.0.0.1:8000/x", "", ":8000"),
        *("192.168.0.1:8000", "[::1:8000", "127.0.0.1:x", "127.0.0.1:8000, evil.example"),
    ],
)
def test_a_name_that_others_made_point_here_gets_nothing(host: str) -> None:
    said = ask("GET", "/", {"host": host})
    assert said.status == 421
    assert said.text == "this server has another name"


def test_a_server_for_the_network_takes_addresses_but_not_others_names() -> None:
    hosts = Hosts("0.0.0.0", 8000)
    assert hosts.allows("192.168.0.7:8000")
    assert hosts.allows("[fe80::1]:8000")
    assert not hosts.allows("evil.example:8000")
    assert not hosts.allows("192.168.0.7:80")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (JSON, 200),
        (JSON | {"origin": f"http://{HERE}", "sec-fetch-site": "same-origin"}, 200),
        (JSON | {"origin": "http://evil.example"}, 403),
        (JSON | {"origin": "null"}, 403),
        (JSON | {"origin": f"https://{HERE}"}, 403),
        (JSON | {"origin": "http://localhost:8000"}, 403),
        (JSON | {"sec-fetch-site": "cross-site"}, 403),
        (JSON | {"sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({}, 415),
    ],
)
def test_only_the_page_itself_may_change_anything(headers: dict[str, str], status: int) -> None:
    assert ask("POST", "/play", headers, b"{}").status == status


def test_another_site_may_link_to_the_page_and_read_nothing() -> None:
    site = {"sec-fetch-site": "cross-site"}
    assert ask("GET", "/", site).status == 200
    assert ask("GET", "/x", site).status == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "X"])
def test_other_methods_are_refused(method: str) -> None:
    said = ask(method, "/")
    assert said.status == 405
    assert "access-control-allow-origin" not in said.headers


def test_a_long_body_is_not_read() -> None:
    assert ask("POST", "/play", JSON, b"x" * MOST_BODY).text == "fine"
    assert ask("POST", "/play", JSON, b"x" * (MOST_BODY + 1)).text == "too much"


def test_every_answer_says_what_may_not_be_done_with_it() -> None:
    for said in (ask("GET", "/"), ask("GET", "/none"), ask("PUT", "/")):
        assert said.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in said.headers["content-security-policy"]
        assert said.headers["cross-origin-resource-policy"] == "same-origin"
