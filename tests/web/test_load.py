"""Many readers and players at a time, for a moment; `support/load.py` does it for minutes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from support.load import load
from support.served import alive, served, wait_for

HEARING = "GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"

pytestmark = pytest.mark.slow


def test_readers_and_players_meet_no_error_and_leave_no_process(contest: Path) -> None:
    with served(contest, "--games", "4") as server:
        games = [server.begin("alice") for _ in range(4)]  # all boards are there
        for game in games:
            server.leave(game)
        met = asyncio.run(load(server.port, 2.5, readers=8, players=4))
        assert dict(+met.errors) == {}
        assert met.done["moves"] and met.done["page"] and met.done["news"]
        server.begin("trap")
        with server.connect(HEARING.format(port=server.port).encode()):
            family = server.family()
            assert server.end() == 0  # though somebody plays, and somebody hears the news
    wait_for(lambda: not alive(family))
