"""The soak: its comparisons, and that a short one has every figure."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, replace

import pytest
from rich.console import Console

from arena_lab import bench_command
from arena_lab.soak import ResourceUse, Soak, soak
from support.command_line import Typed, refused

AFTER = ResourceUse(
    main_mb=100.0,
    lanes_mb=80.0,
    zygotes_mb=60.0,
    descriptors=40.0,
    processes=9.0,
    scratches=4.0,
    wal_mb=4.0,
    cpu_us=800.0,
    games_per_s=2000.0,
)
FIGURES = list(asdict(AFTER))


def of(end: ResourceUse) -> Soak:
    return Soak(games=100_000, after=AFTER, end=end)


def test_what_grows_by_more_than_a_twentieth_is_worse() -> None:
    assert of(AFTER).worse == []
    assert of(replace(AFTER, main_mb=105.0, cpu_us=840.0, games_per_s=1905.0)).worse == []
    assert of(replace(AFTER, main_mb=105.1, descriptors=43.0)).worse == ["main_mb", "descriptors"]
    assert of(replace(AFTER, main_mb=50.0, descriptors=4.0, games_per_s=9000.0)).worse == []
    assert of(replace(AFTER, games_per_s=1900.0)).worse == ["games_per_s"]
    assert of(replace(AFTER, lanes_mb=88.0)).ratios["lanes_mb"] == pytest.approx(1.1)


def test_a_log_may_grow_as_long_as_it_is_small() -> None:
    nothing = replace(AFTER, wal_mb=0.0)
    assert Soak(games=1, after=nothing, end=nothing).worse == []
    assert Soak(games=1, after=nothing, end=replace(AFTER, wal_mb=7.0)).worse == []
    assert Soak(games=1, after=nothing, end=replace(AFTER, wal_mb=17.0)).worse == ["wal_mb"]


@pytest.mark.slow
def test_a_short_soak_has_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena_lab.soak.LOOK_SECONDS", 0.0)
    monkeypatch.setattr("arena.contest.queue.SHARES", 50)  # short batches, so that looks are many
    found = soak(224, Console(file=io.StringIO()))
    assert found.games == 224  # of 28 pairings, 4 openings with both sides
    for taken in (found.after, found.end):
        assert list(asdict(taken)) == FIGURES
        rare = {"cpu_us", "scratches"}  # in so few games
        assert all(value > 0 for name, value in asdict(taken).items() if name not in rare)
        assert taken.processes >= 3  # this one, a lane and its zygote


def test_too_few_games_are_refused(typed: Typed) -> None:
    assert "500 is not in the range x>=20000" in refused(typed("bench", "--soak", "500"))


@pytest.mark.parametrize(("end", "exit_code"), [(AFTER, 0), (replace(AFTER, main_mb=120.0), 1)])
def test_the_command_prints_both_ends_and_fails_for_what_grew(
    end: ResourceUse, exit_code: int, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_command, "soak", lambda games, console: of(end))
    code, output, errors = typed("bench", "--soak", "100000", "--json")
    assert code == exit_code
    figures = json.loads(output)
    assert figures.pop("games") == 100_000
    assert list(figures) == FIGURES
    assert figures["main_mb"] == {
        "after": 100.0,
        "end": end.main_mb,
        "ratio": pytest.approx(end.main_mb / 100),
    }
    code, output, errors = typed("bench", "--soak", "100000")
    assert code == exit_code
    assert len(output.splitlines()) == 1 + len(FIGURES)
    assert ("main_mb: worse by more than 5%" in errors) is bool(exit_code)
