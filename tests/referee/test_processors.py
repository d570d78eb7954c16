"""The processor time that control groups leave, of both versions, in made-up folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.contest import lanes
from arena.referee import Limits, processors


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A group and the one that it is in."""
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    found = [inner, inner.parent]
    monkeypatch.setattr(processors, "control_groups", lambda kind: (0, found))
    return found


def test_without_a_limit_all_cores_can_be_used(groups: list[Path]) -> None:
    assert processors.processor_quota() is None
    (groups[0] / "cpu.max").write_text("max 100000\n")
    (groups[1] / "cpu.cfs_quota_us").write_text("-1\n")
    (groups[1] / "cpu.cfs_period_us").write_text("100000\n")
    assert processors.processor_quota() is None
    assert processors.games_in_quota() == processors.MANY


def test_the_least_limit_counts_of_either_version(groups: list[Path]) -> None:
    (groups[0] / "cpu.max").write_text("350000 100000\n")
    assert (processors.processor_quota(), processors.games_in_quota()) == (3.5, 3)
    (groups[1] / "cpu.cfs_quota_us").write_text("25000\n")
    (groups[1] / "cpu.cfs_period_us").write_text("50000\n")
    assert (processors.processor_quota(), processors.games_in_quota()) == (0.5, 0)


@pytest.mark.parametrize(
    ("quota", "lanes_left", "remark"),
    [
        ("max 100000", 4, None),
        ("400000 100000", 4, None),
        ("250000 100000", 2, "the time of 2.5 cores can be used and a game needs that of one: 2"),
        ("50000 100000", 1, "needs that of one: 1 at a time, and games take longer for it, which"),
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
    monkeypatch.setattr(lanes, "available_cores", lambda: [2, 3, 5, 7])
    monkeypatch.setattr(lanes, "games_in_memory", lambda memory_mb: 99)
    monkeypatch.setattr(lanes, "games_in_tasks", lambda: 99)
    cores, remarks = lanes.plan_lanes(None, Limits())
    assert cores == [2, 3, 5, 7][:lanes_left]
    assert len(remarks) == (remark is not None)
    assert all(remark in said for said in remarks if remark is not None)
