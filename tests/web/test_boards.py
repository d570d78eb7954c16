"""Idle games, and each client's share of the boards."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.web.boards import IDLE, MANY, TAKEN, Boards, ServedGame
from support.served import awaited


def boards_ready(count: int) -> Boards:
    """Boards without processes, which accept every order."""
    boards = Boards(Path(), count)
    for board in boards._boards:
        board.is_ready = True
    return boards


def begin(boards: Boards, client: str) -> ServedGame:
    return awaited(boards.begin("bot", 0, [], client))


def test_a_game_in_which_nothing_happens_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.boards.CLEAR_SECONDS", 0.01)
    monkeypatch.setattr("arena.web.boards.IDLE_SECONDS", 0.02)
    boards = boards_ready(1)

    async def wait() -> ServedGame:
        game = await boards.begin("bot", 0, [], "127.0.0.1")
        clearing = asyncio.create_task(boards._clear())
        await asyncio.wait_for(game.wait(0, 30), 30)
        clearing.cancel()
        return game

    game = awaited(wait())
    assert game.problem == IDLE
    assert game.is_over


def test_an_address_of_the_network_takes_half_of_the_boards_at_most() -> None:
    boards = boards_ready(4)
    for _ in range(2):
        begin(boards, "192.168.0.7")
    with pytest.raises(InputError, match=MANY):
        begin(boards, "192.168.0.7")
    begin(boards, "192.168.0.8")


def test_waiting_for_a_board_takes_no_more_than_the_share() -> None:
    boards = boards_ready(4)
    for board in boards._boards:
        board.is_ready = False

    async def wait() -> list[ServedGame | BaseException]:
        asked = [asyncio.create_task(boards.begin("bot", 0, [], "192.168.0.7")) for _ in range(4)]
        await asyncio.sleep(0)
        for board in boards._boards:
            board.is_ready = True
        return await asyncio.gather(*asked, return_exceptions=True)

    begun = awaited(wait())
    assert sum(isinstance(each, ServedGame) for each in begun) == 2
    assert [str(each) for each in begun if not isinstance(each, ServedGame)] == [MANY, MANY]


def test_this_machine_may_take_all() -> None:
    boards = boards_ready(2)
    for _ in range(2):
        begin(boards, "127.0.0.1")
    with pytest.raises(InputError, match=TAKEN):
        begin(boards, "127.0.0.1")


def test_ids_of_games_are_long_and_differ() -> None:
    ids = {ServedGame(person=0, moves=[], client="").id for _ in range(100)}
    assert len(ids) == 100
    assert all(len(id) == 32 for id in ids)
