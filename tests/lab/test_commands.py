"""Waiting times are measured with real commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.common.errors import MachineError
from arena.courses.roster import find_roster
from arena_lab.bench import Effort, commands

WHERE = "from arena.engine.machine_code import *; print(is_compiled(), cache_folder().parent)"


def test_a_class_has_as_many_bots_as_were_asked_for_and_no_two_alike(tmp_path: Path) -> None:
    bots = find_roster([commands.class_of(12, tmp_path)]).submissions
    assert len({bot.content_hash for bot in bots}) == 12
    assert not any(bot.problem for bot in bots)


@pytest.mark.slow
def test_a_contest_is_waited_for_until_its_first_game(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = commands._typed  # numba, which house players need, is no matter here
    monkeypatch.setattr(
        commands,
        "_typed",
        lambda words, *more: typed((*words, "--no-house") if words[0] == "run" else words, *more),
    )
    assert 0 < commands.seconds_of("--help") < commands.first_move_seconds(2)


@pytest.mark.slow
def test_a_contest_that_never_begins_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "class_of", lambda bots, folder: folder / "nowhere")
    with pytest.raises(MachineError, match="ended before its first game"):
        commands.first_move_seconds(1)


def test_first_use_finds_no_machine_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found: list[str] = []

    def look(*words: str, **variables: str) -> float:
        command, environment = [sys.executable, "-c", WHERE], os.environ | variables
        found.extend(subprocess.check_output(command, env=environment, text=True).split())
        return found.index(variables["NUMBA_CACHE_DIR"])

    monkeypatch.setattr(commands, "seconds_of", look)
    assert commands.first_use(tmp_path, Effort()) == {"first_use_s": [1]}
    assert found[0] == "False"
