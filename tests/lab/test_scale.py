"""Scaling: the figures, and the command that prints them."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from arena_lab import bench_command
from arena_lab.scale import ClusterScale, _figures, _Look
from support.command_line import Typed, refused, succeeded

START = _Look(games=100, moves=4_000, seconds=50.0, main=1.0, scheduler=2.0, busy=500, idle=500)
END = _Look(games=300, moves=12_000, seconds=60.0, main=1.6, scheduler=2.4, busy=800, idle=600)
FIGURES = ClusterScale(
    lanes=64,
    processes=8,
    games=200,
    games_per_s=20.0,
    ideal=0.625,
    main_ms=3.0,
    scheduler_ms=2.0,
    cores_fed=400.0,
    machine_busy=0.75,
)


def test_the_figures_are_of_what_was_played_between_two_looks() -> None:
    # 8,000 moves of 50 ms are 400 s of sleep: of 640 s that 64 lanes had, and for 1 s of CPU time
    assert asdict(_figures(START, END, 64, 8)) == pytest.approx(asdict(FIGURES))


def test_the_command_prints_them(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_command, "scale", lambda lanes: FIGURES)
    assert json.loads(succeeded(typed("bench", "--workers", 64, "--json"))) == asdict(FIGURES)
    assert "ideal                  0.625\n" in succeeded(typed("bench", "--workers", 64))


def test_no_lanes_are_refused(typed: Typed) -> None:
    assert "0 is not in the range 1<=x<=256" in refused(typed("bench", "--workers", 0))
