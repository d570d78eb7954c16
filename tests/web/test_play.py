"""Games against bots in the browser, over the server's own address."""

from __future__ import annotations

import pytest

from support.served import Served, alive, wait_for

pytestmark = pytest.mark.slow


def test_a_game_is_played_to_its_end(server: Served) -> None:
    game = server.begin("alice")
    for _ in range(3):
        game = server.move(game, 3)
    assert game["moves"] == [3, 0, 3, 0, 3, 0]
    assert [answer[0] for answer in game["answers"]] == [1, 3, 5]
    game = server.move(game, 3)
    assert game["over"] == {
        "winner": 0,
        "verdict": "made a line",
        "reason": "made a line with column 3",
        "is_fault": False,
        "output": "",
    }


def test_a_game_goes_on_from_a_position_with_the_bot_to_move(server: Served) -> None:
    game = server.begin("robert", person=1, moves=(3, 3))
    assert game["moves"] == [3, 3, 6]
    server.leave(game)


def test_a_fault_ends_the_game_with_its_sentence(server: Served) -> None:
    game = server.move(server.begin("trap"), 6)
    assert game["over"]["winner"] == 0
    assert game["over"]["is_fault"]
    assert game["over"]["reason"] == (
        "raised ValueError: column 6 is <b>mine</b> (trap.py, line 5), at ply 2"
    )


def test_who_leaves_a_bot_that_thinks_ends_its_process(server: Served) -> None:
    before = server.family()
    game = server.begin("trap")
    move = b'{"ply": 0, "column": 5}'
    head = (
        f"POST /play/{game['game']} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(move)}\r\n\r\n"
    )
    with server.connect(head.encode() + move):
        wait_for(lambda: server.get(f"/play/{game['game']}").json["moves"] == [5])
        new = server.family() - before
        assert new
        server.leave(game)
        wait_for(lambda: not alive(new))
    assert server.get(f"/play/{game['game']}").json["problem"] == "you left the game"


def test_nobody_has_a_third_board_or_moves_in_anothers_game_or_out_of_turn(server: Served) -> None:
    game, other = server.begin("alice"), server.begin("robert")
    said = server.post("/play", {"bot": "alice", "person": 0, "moves": []})
    assert said.status == 503
    assert said.json["problem"].startswith("all boards are taken")
    server.leave(other)
    path, move = f"/play/{game['game']}", {"ply": 0, "column": 3}
    assert len(game["game"]) >= 32
    assert server.post(f"{path[:-1]}", move).status == 404
    assert server.post("/play/x", move).status == 404
    assert server.post("/play/x/leave", {}).status == 404
    assert server.get("/play/x").status == 404
    assert server.post(path, {"ply": 1, "column": 3}).status == 409
    assert server.post(path, {"ply": 0, "column": 7}).status == 400
    assert server.post(path, {"ply": 0, "column": -1}).status == 400
    assert server.post(path, {"ply": 0, "column": "3"}).status == 400
    game = server.move(game, 3)
    assert server.post(path, move).status == 409  # sent twice
    server.leave(game)
    assert server.post(path, {"ply": 2, "column": 3}).status == 409
