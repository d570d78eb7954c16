"""A contest with a third house player, as if it had been added to the list."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from arena.common.names import FLOOR, HOUSE, YARDSTICK
from arena.contest.entries import enter
from arena.intake.house_players import house_submissions
from arena.settings.contest import Contest, Format, Schedule, pairings
from support.bots import FIRST_FREE, LAST_FREE, hand_ins
from support.command_line import Typed

THIRD = "greedy"


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    three = (FLOOR, YARDSTICK, THIRD)
    for name, module in list(sys.modules.items()):
        if name.startswith("arena.") and getattr(module, "HOUSE", None) == HOUSE:
            monkeypatch.setattr(module, "HOUSE", three)
    return three


@pytest.mark.slow
def test_a_contest_with_three_house_players_is_played_and_graded(
    house: tuple[str, ...], typed: Typed, tmp_path: Path
) -> None:
    hand_ins(tmp_path / "bots", alice=FIRST_FREE, bob=LAST_FREE)
    contest = ("--openings", 1, "--seed", 1, "--nodes", 200, "--json", "--out", "results")
    for command in (("run", "bots", *contest), ("rank", "results", "--json")):
        code, out, errors = typed(*command)
        assert code == 0, errors
        board = {row["bot"]: row for row in json.loads(out)}
        assert set(board) == {"alice", "bob", *house}
        assert all(board[name]["grade"] is None for name in house)
        assert all(board[name]["grade"] is not None for name in ("alice", "bob"))
    assert not list(tmp_path.glob("results/bots/.*"))


def test_a_gauntlet_meets_all_three(house: tuple[str, ...]) -> None:
    schedule = Schedule(format=Format.GAUNTLET)
    contest, _ = enter(Contest(schedule=schedule), (), house_submissions())
    assert set(contest.bots) == set(house)
    assert len(pairings(contest)) == 3
