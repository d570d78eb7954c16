"""Course modules that numba compiles are compiled once, not in every bot's process."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from arena.host import zygote
from arena.host.bot_folder import CACHE
from arena.host.sandbox.copying import CopiedFolder
from support.bots import MakePlayer, first_move

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
    assert first_move(player)[0] == 2


def test_nothing_is_compiled_for_other_interfaces(tmp_path: Path) -> None:
    lane, _ = socket.socketpair()
    with lane, _:
        assert zygote.compiled_modules("pick_move", str(tmp_path), lane.fileno()) is None
        assert zygote.compiled_modules("next_move", str(tmp_path), lane.fileno()) is None
    assert list(tmp_path.iterdir()) == []


def test_a_compilation_ends_with_its_lane(tmp_path: Path) -> None:
    lane, other = socket.socketpair()
    other.close()
    with lane:
        folder = zygote.compiled_modules("make_move", str(tmp_path), lane.fileno())
    assert folder is not None
    assert os.listdir(folder) == []
    os.close(folder)


def test_compiled_code_stays_for_every_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bot", "kept/make_move_1"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "kept/make_move_1/app.nbi").write_bytes(b"code")
    folders = [os.open(tmp_path / name, os.O_RDONLY) for name in ("bot", "kept")]
    bot_folder = CopiedFolder(str(tmp_path / "place"), *folders, mounted=False, owner=None)
    for folder in folders:
        os.close(folder)
    monkeypatch.chdir(tmp_path)
    assert bot_folder.enter()
    Path("made").touch()
    assert bot_folder.enter()
    assert os.listdir() == [CACHE]
    assert Path(CACHE, "make_move_1/app.nbi").read_bytes() == b"code"
