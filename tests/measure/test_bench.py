"""The benchmark: every figure is measured, whatever it comes to."""

from __future__ import annotations

import json
from functools import partial

import pytest
from support.command_line import Typed

from arena.cli import bench
from arena.measure.bench import Effort, measure

LITTLE = Effort(rounds=1, round_trips=50, starts=1, nodes=1000, games=20, solved=1)


@pytest.mark.slow
def test_the_benchmark_prints_its_figures_as_json(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "measure", partial(measure, LITTLE))
    code, output, errors = typed("bench", "--json")
    assert code == 0, errors
    figures = json.loads(output)
    assert list(figures) == [
        "floor_us",
        "move_us",
        "move_ratio",
        "games_per_s",
        "bot_start_ms",
        "cold_start_ms",
        "meter_overhead",
        "engine_mnps",
        "solve_ms",
    ]
    assert all(value > 0 for value in figures.values())
