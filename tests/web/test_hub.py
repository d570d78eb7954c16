"""Readers of news if there are more than places."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.web import hub as hubs
from arena.web.guard import client
from arena.web.hub import MOST_OF_ONE, MOST_READERS, Hub


@pytest.fixture
def hub() -> Hub:
    return Hub(Path(), Path(), 0)


def test_a_client_has_its_share_and_leaves_room_for_others(hub: Hub) -> None:
    assert all(hub.admit("greedy") for _ in range(MOST_OF_ONE))
    assert hub.admit("greedy") is None
    assert hub.admit("honest") is not None


def test_a_client_alone_is_admitted_however_many_clients_fill_all_places(hub: Hub) -> None:
    readers = [hub.admit(f"greedy {number % 3}") for number in range(MOST_READERS)]
    assert hub.admit("honest") is not None
    assert sum(reader.is_over for reader in readers if reader) == 1
    assert hub.admit("greedy 1") is None


def test_an_old_reader_makes_room_for_another_of_the_same_client(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = [hub.admit("class") for _ in range(MOST_OF_ONE)]
    monkeypatch.setattr(hubs, "SURE_SECONDS", 0.0)
    assert hub.admit("class") is not None
    assert [reader.is_over for reader in readers if reader] == [True] + [False] * (MOST_OF_ONE - 1)


def test_a_reader_that_leaves_makes_room(hub: Hub) -> None:
    readers = [hub.admit("class") for _ in range(MOST_OF_ONE)]
    assert readers[5]
    hub.leave(readers[5])
    assert hub.admit("class") is not None


@pytest.mark.parametrize(
    ("address", "who"),
    [
        ("192.168.0.7", "192.168.0.7"),
        ("::ffff:192.168.0.7", "192.168.0.7"),
        ("2001:db8:0:1::7", "2001:db8:0:1::"),
        ("2001:db8:0:1:2::8", "2001:db8:0:1::"),
        ("::1", "::1"),
        ("unknown", "unknown"),
    ],
)
def test_an_ipv6_network_is_one_client(address: str, who: str) -> None:
    assert client({"client": (address, 1)}) == who
