"""Course modules that numba compiles are compiled once, and not in every bot's process."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from conftest import MakePlayer

from arena.host import lent
from arena.host.scratch import CACHE, Workplace
from arena.rules import Ruleset

COUNTS_WHAT_IT_FOUND = """
from app import winning
from heuristics import SimpleHeuristic
from players import PlayerController

class Counter(PlayerController):
    def make_move(self, board):
        self.heuristic.evaluate_board(1, board)
        used = (winning, SimpleHeuristic._evaluate)
        return sum(sum(function.stats.cache_hits.values()) for function in used)
"""


def test_a_bot_finds_both_functions_compiled(make_player: MakePlayer) -> None:
    player = make_player(COUNTS_WHAT_IT_FOUND)
    assert player.sit(1, Ruleset(), (), 1) is None
    answer = player.ask(-1)
    assert isinstance(answer, tuple), answer
    assert answer[0] == 2


def test_nothing_is_compiled_for_other_interfaces(tmp_path: Path) -> None:
    lane, _ = socket.socketpair()
    with lane, _:
        assert lent.compiled("pick_move", str(tmp_path), lane.fileno()) == {}
        assert lent.compiled("next_move", str(tmp_path), lane.fileno()) == {}


def test_what_is_being_compiled_ends_with_its_lane(tmp_path: Path) -> None:
    lane, other = socket.socketpair()
    other.close()
    with lane:
        assert lent.compiled("make_move", str(tmp_path), lane.fileno()) == {}
    assert list(tmp_path.iterdir()) == []


def test_what_is_kept_is_there_in_every_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "scratch").mkdir()
    workplace = Workplace(str(tmp_path / "scratch"), str(tmp_path / "bot"))
    workplace.keep({"make_move_1/app.nbi": b"code"})
    kept = tmp_path / "scratch" / CACHE / "make_move_1" / "app.nbi"
    monkeypatch.chdir(tmp_path)
    workplace.enter()
    assert kept.read_bytes() == b"code"
    (tmp_path / "scratch" / "left.txt").write_text("")
    workplace.enter()
    assert kept.read_bytes() == b"code"
    assert not (tmp_path / "scratch" / "left.txt").exists()
