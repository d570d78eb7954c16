"""`arena simulate`."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from support.bots import FIRST_FREE, LAST_FREE, hand_ins
from support.command_line import Typed, succeeded
from support.instant import Instant
from support.terminal import at_terminal


@pytest.mark.slow
def test_a_class_like_that_of_a_contest_is_simulated(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Instant.in_place_of_lanes(monkeypatch)
    hand_ins(tmp_path / "bots", ann=FIRST_FREE, ben=LAST_FREE)
    words = ("--openings", 2, "--nodes", 200, "--seed", 5)
    succeeded(typed("run", "bots", *words, "--out", "results"))
    words = ("--from", "results", "--openings", 2, "--classes", 3, "--json")
    output = succeeded(typed("simulate", *words))
    (found,) = json.loads(output)["fields"]
    assert found["players"] == 2
    assert found["house"]["random"] < found["house"]["reference"]
    assert found["rows"][0]["games"] == 4 * 3 * 2
    assert set(found["advice"]) == {"seed", "curve"}
    output = succeeded(typed("simulate", *words, "--bots", 5, "--spread", 40))
    (wanted,) = json.loads(output)["fields"]
    assert (wanted["players"], wanted["spread"]) == (5, 40)
    assert (wanted["house"], wanted["draws"]) == (found["house"], found["draws"])


@pytest.mark.slow
def test_an_interrupted_simulation_says_how_far_it_came(tmp_path: Path) -> None:
    with at_terminal("simulate", "--bots", 4, "--classes", 100_000, cwd=tmp_path) as terminal:
        terminal.see("/100000")
        terminal.send(signal.SIGINT)
        assert terminal.end() == 130
        assert "of 100,000 classes of 4 students" in terminal.seen
