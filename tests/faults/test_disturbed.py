"""A contest that is killed, cut off or damaged has the games of an undisturbed one."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pandas as pd
import psutil
import pytest

from faults.clusters import DaskCluster
from faults.contests import command, games_of, played, write_bots
from faults.kills import Contest, living
from faults.networks import Network, NoNetworkError, play_with_cuts
from support.command_line import PATIENCE_SECONDS, arena, arena_ok, started

pytestmark = pytest.mark.slow

OPENINGS, GAMES = 4, 24


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bots(tmp_path_factory.mktemp("faults") / "bots", 3, seconds=0.01)


@pytest.fixture(scope="module")
def calm(bots: Path) -> Path:
    """The folder of the contest that nothing disturbs."""
    folder = bots.parent / "calm"
    arena_ok(*command(bots, folder, OPENINGS)[3:], cwd=bots.parent)
    return folder


def require_equal(folder: Path, calm: Path) -> None:
    pd.testing.assert_frame_equal(games_of(folder), games_of(calm))


def mount(*words: object) -> None:
    """Mount something, or skip the test."""
    if subprocess.run(["mount", *map(str, words)], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=20m", "none", folder)
    yield folder
    subprocess.run(["umount", "--lazy", "--recursive", folder], check=True)


def test_kills_at_random_moments_change_no_game(tmp_path: Path, bots: Path, calm: Path) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)  # shown if it fails; `python -m tests.faults --seed` repeats its draws
    words = command(bots, tmp_path / "shaken", OPENINGS)
    contest = Contest(words, seed, pause_seconds=0.1)
    contest.play(4, tmp_path / "said.txt")
    assert contest.killed.total() == 4
    require_equal(tmp_path / "shaken", calm)


def test_lanes_that_are_stopped_for_longer_than_a_move_may_take_lose_no_game(
    tmp_path: Path, bots: Path
) -> None:
    words = [*command(bots, tmp_path / "contest", 2)[3:], "--move-seconds", "0.5"]
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
        said, _ = main.communicate(timeout=PATIENCE_SECONDS)
        assert main.returncode == 0, said
    assert set(games_of(tmp_path / "contest")["verdict"]) <= {"LINE", "BOARD_FULL"}


def test_a_worker_that_is_cut_off_for_a_while_changes_no_game(
    tmp_path: Path, bots: Path, calm: Path
) -> None:
    pytest.importorskip("distributed")
    try:
        with Network(2) as network, DaskCluster(tmp_path / "dask", 2, network) as cluster:
            words = [*command(bots, tmp_path / "cut", OPENINGS), "--cluster", cluster.address]
            play_with_cuts(network, words, tmp_path / "cut", [((0,), 2.0)])
    except NoNetworkError as error:
        pytest.skip(str(error))
    require_equal(tmp_path / "cut", calm)


def test_a_folder_that_becomes_read_only_is_said_and_its_contest_goes_on(
    tmp_path: Path, disk: Path, bots: Path, calm: Path
) -> None:
    contest = disk / "contest"
    words = command(bots, contest, OPENINGS)[3:]
    with started(*words) as running:
        while not played(contest):
            assert running.poll() is None
            time.sleep(0.02)
        mount("--bind", contest, contest)
        mount("-o", "remount,bind,ro", contest)
        _, errors = running.communicate(timeout=PATIENCE_SECONDS)
    lines = errors.splitlines()
    assert running.returncode == 1, lines
    assert lines[-1] == (
        f"arena: {contest}: cannot be written to; finished games are stored. After fixing "
        f"this, continue with: arena resume {contest}"
    )
    subprocess.run(["umount", contest], check=True)
    resumed = arena_ok(*words, cwd=tmp_path)
    assert f"{GAMES} games, {GAMES} to play" not in resumed.stderr
    require_equal(contest, calm)
    assert games_of(contest)["key"].nunique() == GAMES


def test_a_copy_of_a_bot_that_lost_its_bytes_is_no_fault_of_the_bot(
    tmp_path: Path, bots: Path, calm: Path
) -> None:
    contest = Path(shutil.copytree(calm, tmp_path / "contest"))
    for file in contest.glob("bots/*/*.py"):
        file.write_bytes(b"")
    (contest / "journal.sqlite").unlink()
    resumed = arena("resume", "contest", cwd=tmp_path)
    assert resumed.returncode == 2
    assert "are missing or changed" in resumed.stderr
    arena_ok(*command(bots, contest, OPENINGS)[3:], cwd=tmp_path)
    require_equal(contest, calm)
