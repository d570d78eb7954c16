"""Presets: complete settings as a base of a contest."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from arena.game.limits import Limits
from arena.openings.drawing import read_book
from arena.rules import Ruleset
from arena.settings.contest import PRESETS, Contest, Schedule, with_preset
from support.bots import FIRST_FREE, LAST_FREE, hand_ins
from support.command_line import Typed

# A preset for a board without a book.
SMALL = Contest(
    rules=Ruleset(rows=5, columns=6),
    limits=Limits(move_seconds=2.0, memory_mb=300),
    schedule=Schedule(openings=2, min_plies=2, max_plies=4, retire_after=3),
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("contest", "file"):
        monkeypatch.setattr(f"arena.settings.{module}.PRESETS", {**PRESETS, "small": SMALL})


@pytest.mark.slow
def test_a_preset_without_a_book_plays_openings_that_are_drawn_to_its_schedule(
    small: None, typed: Typed, tmp_path: Path
) -> None:
    assert read_book(SMALL.rules) == []
    hand_ins(tmp_path / "bots", alice=FIRST_FREE, bob=LAST_FREE)
    (tmp_path / "small.toml").write_text('preset = "small"\n')
    code, _, errors = typed(
        "run", "bots", "--no-house", "--config", "small.toml", "--seed", 1, "--out", "results"
    )
    assert code == 0, errors
    assert "1 pairing × 2 openings × 2 sides = 4 games" in errors
    written = tomllib.loads((tmp_path / "results" / "contest.toml").read_text())
    assert (written["rules"]["rows"], written["limits"]["memory_mb"]) == (5, 300)
    assert (written["schedule"]["retire_after"], written["schedule"]["seed"]) == (3, 1)
    games = (tmp_path / "results" / "games.csv").read_text().splitlines()[1:]
    assert all(2 <= len(game.split(",")[2].split()) <= 4 for game in games)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_leaves_the_schedule_that_it_says_nothing_of(name: str) -> None:
    before = Contest(schedule=Schedule(openings=3, seed=77), limits=Limits(nodes=5))
    contest = with_preset(name, before)
    for field in fields(Schedule):
        if getattr(PRESETS[name].schedule, field.name) == field.default:
            assert getattr(contest.schedule, field.name) == getattr(before.schedule, field.name)
    assert (contest.rules, contest.limits) == (PRESETS[name].rules, PRESETS[name].limits)


def test_a_preset_has_no_seed_of_its_own(small: None) -> None:
    contest = with_preset("small", Contest(schedule=Schedule(openings=9, seed=77)))
    assert (contest.schedule.openings, contest.schedule.seed) == (2, 77)


@pytest.mark.slow
def test_limits_and_schedule_have_their_options(typed: Typed, tmp_path: Path) -> None:
    hand_ins(tmp_path / "bots", alice=FIRST_FREE, bob=LAST_FREE)
    options = ("--memory-mb", 256, "--retire-after", 0, "--min-plies", 8, "--max-plies", 9)
    run = ("run", "bots", "--no-house", "--openings", 1, "--out", "results", *options)
    code, _, errors = typed(*run)
    assert code == 0, errors
    written = tomllib.loads((tmp_path / "results" / "contest.toml").read_text())
    assert written["limits"]["memory_mb"] == 256
    schedule = written["schedule"]
    assert [schedule[key] for key in ("retire_after", "min_plies", "max_plies")] == [0, 8, 9]
    code, _, errors = typed(*run, "--memory-mb", 1)
    assert (code, errors) == (2, "arena: memory_mb = 1: expected 64 to 1048576\n")
