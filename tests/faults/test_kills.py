"""A contest that is killed at random moments has the games of an undisturbed one."""

from __future__ import annotations

import random
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from faults.contests import command, games_of, write_bots
from faults.kills import Contest, living
from support.command_line import arena, started


@pytest.mark.slow
def test_kills_at_random_moments_change_no_game(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)  # shown if it fails; `python -m tests.faults --seed` repeats its draws
    bots = write_bots(tmp_path / "bots")
    contest = Contest(command(bots, tmp_path / "shaken", 6), seed, pause_seconds=0.1)
    contest.play(4, tmp_path / "said.txt")
    assert contest.killed.total() == 4
    calm = arena(*command(bots, tmp_path / "calm", 6)[3:], cwd=tmp_path)
    assert calm.returncode == 0, calm.stderr
    assert games_of(tmp_path / "shaken").equals(games_of(tmp_path / "calm"))


@pytest.mark.slow
def test_lanes_that_are_stopped_for_longer_than_a_move_may_take_lose_no_game(
    tmp_path: Path,
) -> None:
    bots = write_bots(tmp_path / "bots", 2, seconds=0.02)
    words = [*command(bots, tmp_path / "contest", 4)[3:], "--move-seconds", "0.5"]
    words += ["--first-move-seconds", "0"]
    with started(*words, stderr=subprocess.STDOUT) as main:
        while not living(main.pid)["bot"] and main.poll() is None:
            time.sleep(0.05)
        stopped = living(main.pid)
        everybody = [*stopped["lane"], *stopped["zygote"], *stopped["bot"]]
        for process in everybody:
            with suppress(psutil.NoSuchProcess):  # its game has just ended
                process.suspend()
        time.sleep(1)
        for process in reversed(everybody):
            with suppress(psutil.NoSuchProcess):
                process.resume()
        said, _ = main.communicate(timeout=60)
        assert main.returncode == 0, said
    assert set(games_of(tmp_path / "contest")["verdict"]) <= {"LINE", "BOARD_FULL"}
