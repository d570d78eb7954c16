"""A running server: its pages, its news, and harmful clients."""

from __future__ import annotations

import json
import signal
import socket
import sys
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
import pytest

from support.command_line import Typed, refused
from support.load import load
from support.served import Served, alive, awaited, served, wait_for

pytestmark = pytest.mark.slow


def request(server: Served, line: str, *headers: str, body: str = "") -> bytes:
    lines = [line, f"Host: 127.0.0.1:{server.port}", "Connection: close", *headers, "", body]
    return "\r\n".join(lines).encode("latin-1")


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


class TestPages:
    def test_the_page_asks_for_the_data_of_one_moment(self, server: Served) -> None:
        page = server.get("/")
        assert page.headers["content-type"].startswith("text/html")
        assert b"data-live" in page.body
        told = server.get("/data/overview")
        again = server.get("/data/overview", **{"If-None-Match": told.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        overview = told.json
        assert {bot["name"] for bot in overview["bots"]} == {"alice", "robert", "trap"}
        assert overview["boards"] == 2
        games = server.get(f"/data/games-0?edition={overview['edition']}").json
        assert [game["n"] for game in games] == [1, 2, 3, 4, 5, 6]
        assert len(server.get(f"/data/bot-0?edition={overview['edition']}").json) == 4
        assert server.get("/data/games-0?edition=999").status == 410

    def test_news_come_as_a_stream(self, server: Served, contest: Path) -> None:
        with server.connect(request(server, "GET /live HTTP/1.1")) as client:
            text = b""
            while b"event: edition" not in text or b"event: news" not in text:
                text += client.recv(65536)
        news, *_ = (line[6:] for line in text.split(b"\n") if line.startswith(b'data: {"played"'))
        told = json.loads(news)
        assert (told["played"], told["total"], told["is_played"]) == (6, 6, False)
        board = pd.read_csv(contest / "leaderboard.csv")
        assert [(row["name"], row["rank"]) for row in told["standings"]] == [
            *zip(board["bot"], board["rank"], strict=True)
        ]


@pytest.mark.parametrize("proxy", [None, "127.0.0.3"])
def test_one_greedy_client_takes_no_page_and_no_news_from_others(
    server: Served, proxy: str | None
) -> None:
    """The clients come from addresses of their own, or all through the server's proxy."""
    with ExitStack() as stack:

        def ask(line: str, who: str, *headers: str) -> socket.socket:
            forwarded = [f"X-Forwarded-For: {who}"] if proxy else []
            lines = [line, f"Host: 127.0.0.1:{server.port}", *forwarded, *headers, "", ""]
            client = stack.enter_context(server.connect(source=proxy or who))
            client.sendall("\r\n".join(lines).encode())
            return client

        json_body = "Content-Type: application/json", "Content-Length: 900"
        for _ in range(250):
            ask("GET /live HTTP/1.1", "127.0.0.1")
            ask("POST /play HTTP/1.1", "127.0.0.1", *json_body)
        # a busy server reads earlier requests later
        further = (ask("GET /live HTTP/1.1", "127.0.0.1").recv(65536) for _ in range(100))
        assert any(status(answer) == 503 for answer in further)
        news, page = (ask(f"GET {path} HTTP/1.1", "127.0.0.2") for path in ("/live", "/"))
        text = b""
        while b"event: news" not in text:
            part = news.recv(65536)
            assert part
            text += part
        assert status(page.recv(65536)) == 200


class TestHarm:
    @pytest.mark.parametrize(
        "path",
        [
            *("/data/../contest.toml", "/data/..%2f..%2fetc%2fpasswd", "/../../etc/passwd"),
            *("/data/overview%00", "/data/%2e%2e/page.html", "/data/best", "/data/page.html.gz"),
            *("/data/games-0?edition=..", "/data/games-0?edition=0", "//etc/passwd", "/data/"),
            *("/data/games-99999999999", "/play/../data", "/data/overview?edition=-1"),
        ],
    )
    def test_no_path_leads_to_other_files(self, server: Served, path: str) -> None:
        assert status(server.raw(request(server, f"GET {path} HTTP/1.1"))) == 404

    def test_a_request_without_a_host_or_with_two_gets_nothing(self, server: Served) -> None:
        for path in ("/", "/data/overview", "/live"):
            assert status(server.raw(f"GET {path} HTTP/1.0\r\n\r\n".encode())) == 421
        twice = request(server, "GET / HTTP/1.1", "Host: evil.example")
        assert status(server.raw(twice)) == 400

    @pytest.mark.parametrize(
        "body",
        [
            *(b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 4000, b'{"bot":' * 500, b"1e999"),
            b'{"bot": 1, "person": 0, "moves": []}',
            b'{"bot": "alice", "person": true, "moves": []}',
            b'{"bot": "alice", "person": 2, "moves": []}',
            b'{"bot": "alice", "person": 0, "moves": [7]}',
            b'{"bot": "alice", "person": 0, "moves": [3.0]}',
            b'{"bot": "alice", "person": 0, "moves": [0,0,0,0,0,0,0]}',
            b'{"bot": "alice", "person": 0, "moves": [0,1,0,1,0,1,0]}',
            b'{"bot": "alice", "person": 0, "moves": "333"}',
            b'{"bot": "alice", "person": 0, "moves": [' + b"3," * 3000 + b"3]}",
        ],
    )
    def test_what_is_no_request_of_the_page_is_refused(self, server: Served, body: bytes) -> None:
        said = server.post("/play", body)
        assert said.status == 400
        assert said.json["problem"]

    def test_a_bot_that_does_not_take_part_is_refused_in_a_sentence(self, server: Served) -> None:
        game = server.begin("../alice")
        assert game["problem"] == "no such bot takes part in this contest"

    def test_huge_headers_are_refused(self, server: Served) -> None:
        answer = server.raw(request(server, "GET / HTTP/1.1", "X: " + "x" * 100_000))
        assert status(answer) in (400, 431)
        many = [f"X-{number}: x" for number in range(5000)]
        assert status(server.raw(request(server, "GET / HTTP/1.1", *many))) in (400, 431)

    def test_thousands_of_connections_shut_nobody_out(self, server: Served) -> None:
        with ExitStack() as stack:
            for _ in range(900):
                stack.enter_context(server.connect())
            assert server.get("/data/overview").status == 200


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGKILL, -9)])
def test_it_ends_though_somebody_plays_and_leaves_no_process(
    contest: Path, number: signal.Signals, code: int
) -> None:
    with served(contest, "--games", "1") as server:
        server.begin("trap")
        with server.connect(request(server, "GET /live HTTP/1.1")):
            family = server.family()
            assert len(family) >= 5  # with the publisher, a board, its zygote and a bot
            assert server.end(number) == code
    wait_for(lambda: not alive(family))


def test_many_readers_and_players_meet_no_error(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("support.load.READ_SECONDS", 0.5)
    monkeypatch.setattr("support.load.THINK_SECONDS", 0.2)

    def all_is_done() -> bool:
        met = awaited(load(server.port, 1.5, readers=8, players=2))
        assert dict(+met.errors) == {}
        return all(met.done[what] for what in ("moves", "page", "news"))

    wait_for(all_is_done)  # a busy machine takes more than one turn


def test_a_port_that_is_taken_is_said_in_a_line(contest: Path, typed: Typed) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = refused(typed("serve", contest, "--port", port))
    assert said == (
        f"arena: 127.0.0.1:{port}: cannot listen there (Address already in use); "
        "take another --port\n"
    )


def test_what_cannot_be_served_is_said_in_a_line(
    contest: Path, tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    for host in ("192.0.2.1", "foo.invalid"):  # of no machine, by RFC 5737, 6761
        said = refused(typed("serve", contest, "--host", host))
        assert said == f"arena: --host {host}: is not an address of this machine\n"
    said = refused(typed("serve", tmp_path))
    assert said.endswith("(it has no contest.toml); name one that arena run made\n")
    monkeypatch.setattr("arena.cli.serve.find_spec", lambda _: None)
    said = refused(typed("serve", contest))
    needed = f"{sys.executable} -m pip install starlette uvicorn"
    assert said == f"arena: arena serve needs two more packages: {needed}\n"
