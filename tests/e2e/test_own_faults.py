"""Arena's own faults and killed processes: no bot is to blame."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.game.record import GameKey
from arena.playing import batches
from arena.trials import examine
from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.command_line import Typed

ITS_FAULT = "Arena itself failed, please report it: KeyError: 'rack' (arena/playing/batches.py:"
MIDDLE = (
    "def pick_move(rack):\n    return next(c for c in (3, 2, 4, 1, 5, 0, 6) if not rack[c][-1])\n"
)


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    return bots_in(tmp_path / "bots", ann=FIRST_FREE, bob=LAST_FREE, cleo=MIDDLE)


@pytest.mark.slow
def test_a_fault_of_arenas_own_in_a_game_leaves_the_game_open(
    bots: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(key: GameKey, *players: Any) -> Any:
        if "cleo.py" in (key.first.entry_point.file, key.second.entry_point.file):
            raise KeyError("rack")
        return plays(key, *players)

    plays = batches.play
    monkeypatch.setattr(batches, "play", play)
    code, _, errors = typed("run", bots, "--no-house", "--openings", 1, "--out", "x")
    assert code == 1
    assert f"4 games could not be played: {ITS_FAULT}" in " ".join(errors.split())
    folder = bots.parent / "x"
    log = (folder / "arena.log").read_text()
    assert f" is tried again: {ITS_FAULT}" in log
    assert "\nKeyError: 'rack'\n" in log
    for bot, unplayed in (("ann", 2), ("cleo", 4)):
        page = (folder / "feedback" / f"{bot}.md").read_text()
        assert f"{unplayed} more games have not been played, through no fault of the bot" in page
    monkeypatch.undo()
    assert typed("resume", "x")[0] == 0
    assert "have not been played" not in (folder / "feedback" / "cleo.md").read_text()


@pytest.mark.slow
def test_a_fault_of_arenas_own_in_a_check_leaves_the_result_open(
    bots: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise KeyError("rack")

    monkeypatch.setattr(examine.Tryout, "trial", fails)
    code, page, _ = typed("check", bots / "ann.py")
    assert code == 1
    told = " ".join(page.split())
    assert "It could not be checked, through no fault of the bot: Arena itself failed" in told
    assert "KeyError: 'rack'" in told
    assert "arena/trials/examine.py:" in told


@pytest.mark.parametrize(
    ("words", "kib"), [("rank x", 100_000), ("check x.py", 300_000), ("run bots", 500_000)]
)
def test_too_little_memory_is_one_line(words: str, kib: int, tmp_path: Path) -> None:
    limit = f"ulimit -v {kib}; exec {sys.executable} -m arena {words}"
    done = subprocess.run(["bash", "-c", limit], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"arena: ulimit -v allows a process {kib >> 10} MB of memory, and")
