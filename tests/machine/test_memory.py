"""What a machine has room for: processor time within control groups, and threads."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from arena.game.limits import Limits
from arena.machine import capacity
from arena.machine.capacity import GAME_TASKS
from arena.playing import batches


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A group and its parent."""
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    found = [inner, inner.parent]
    monkeypatch.setattr(capacity, "control_groups", lambda kind: (0, found))
    return found


def test_without_a_limit_all_cores_can_be_used(groups: list[Path]) -> None:
    assert capacity.processor_quota() is None
    (groups[0] / "cpu.max").write_text("max 100000\n")
    (groups[1] / "cpu.cfs_quota_us").write_text("-1\n")
    (groups[1] / "cpu.cfs_period_us").write_text("100000\n")
    assert capacity.processor_quota() is None
    assert capacity.room_in_quota().games == capacity.MANY


def test_the_least_limit_counts_of_either_version(groups: list[Path]) -> None:
    (groups[0] / "cpu.max").write_text("350000 100000\n")
    assert (capacity.processor_quota(), capacity.room_in_quota().games) == (3.5, 3)
    (groups[1] / "cpu.cfs_quota_us").write_text("25000\n")
    (groups[1] / "cpu.cfs_period_us").write_text("50000\n")
    assert (capacity.processor_quota(), capacity.room_in_quota().games) == (0.5, 0)


@pytest.mark.parametrize(
    ("quota", "lanes_left", "remark"),
    [
        ("max 100000", 4, None),
        ("400000 100000", 4, None),
        ("250000 100000", 2, "the time of 2.5 cores is available and a game needs that of one: 2"),
        ("50000 100000", 1, "needs that of one: 1 at a time, and games take longer, which"),
    ],
)
def test_lanes_are_no_more_than_there_is_time_for(
    groups: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    quota: str,
    lanes_left: int,
    remark: str | None,
) -> None:
    (groups[0] / "cpu.max").write_text(quota)
    monkeypatch.setattr(batches, "available_cores", lambda: [2, 3, 5, 7])
    monkeypatch.setattr(batches, "room_in_memory", lambda memory_mb: (99, ""))
    monkeypatch.setattr(batches, "room_in_tasks", lambda: (99, ""))
    cores, remarks = batches.plan_lanes(None, Limits())
    assert cores == [2, 3, 5, 7][:lanes_left]
    assert len(remarks) == (remark is not None)
    assert all(remark in said for said in remarks if remark is not None)


IN_A_TIGHT_PLACE = """
import os, resource, sys
from arena.host.sandbox.confining import tasks_of
from arena.machine.capacity import room_in_tasks
room = int(sys.argv[1])
if os.geteuid() == 0:
    os.setuid(12345)
most = tasks_of(os.geteuid()) + room
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
print(*room_in_tasks())
"""


@pytest.mark.parametrize(("room", "games"), [(3 * GAME_TASKS, 3), (GAME_TASKS - 1, 0), (0, 0)])
def test_as_many_games_are_played_at_a_time_as_there_are_threads_for(room: int, games: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if hard != resource.RLIM_INFINITY and hard < 4 * GAME_TASKS:
        pytest.skip(f"no more than {hard} threads can be started here")
    command = [sys.executable, "-c", IN_A_TIGHT_PLACE, str(room)]
    done = subprocess.run(command, capture_output=True, text=True)
    said, plan = done.stdout.split(" ", 1)
    assert int(said) == games, done.stderr
    assert plan.startswith(f"{room:,} more threads and processes can be started and a game may")
