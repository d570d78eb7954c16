"""Other runners: their speed here, or how to install them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.common.errors import MachineError
from arena_lab import bench_command, peers
from arena_lab.peers import PEERS, SHUFFLED, PeerRun
from support.command_line import Typed, succeeded


def runner(folder: Path, text: str) -> None:
    """Create a program `fastchess` from Python code."""
    path = folder / "fastchess"
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)


ASKS_THE_ENGINE = """
import subprocess, sys
engine = next(word[4:] for word in sys.argv if word.startswith("cmd="))
said = "uci\\nisready\\nposition startpos moves g1f3 g8f6\\ngo wtime 1\\nquit\\n"
answers = subprocess.run([engine], input=said, capture_output=True, text=True).stdout.split("\\n")
sys.exit(answers[1:4] != ["uciok", "readyok", "bestmove f3g1"])
"""


def test_a_program_for_chess_plays_engines_that_answer_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fastchess = PEERS[1]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not fastchess.is_there()
    runner(tmp_path, ASKS_THE_ENGINE)
    assert fastchess.is_there()
    played = fastchess.play(3)
    assert played.moves == 3 * SHUFFLED and played.seconds > 0


def test_a_program_that_fails_is_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    runner(tmp_path, "raise SystemExit('no such engine')")
    with pytest.raises(MachineError, match="no such engine"):
        PEERS[1].play(3)


def test_those_that_are_not_there_are_named(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(games: int) -> PeerRun:
        raise MachineError("no such engine")

    one, other, third = (replace(peer, is_there=lambda: True) for peer in peers.PEERS)
    rows = (
        replace(one, is_there=lambda: False),
        replace(other, play=lambda games: PeerRun(games * 10, 2.0)),
    )
    monkeypatch.setattr(bench_command, "PEERS", rows)
    output = succeeded(typed("bench", "--peers"))
    assert "kaggle-environments: not installed: pip install kaggle-environments" in output
    assert "fastchess: 200.0 moves a second, 20.0 games a second" in output
    found = json.loads(typed("bench", "--peers", "--json")[1])
    assert found["fastchess"]["moves_per_s"] == 200 and "missing" in found["kaggle-environments"]
    monkeypatch.setattr(bench_command, "PEERS", (replace(third, play=fails),))
    code, output, _ = typed("bench", "--peers")
    assert code == 1 and "cutechess-cli: failed: no such engine" in output
