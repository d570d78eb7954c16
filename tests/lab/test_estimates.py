"""Measuring estimates: figures checked by hand, and the games they come from."""

from __future__ import annotations

import json
from functools import partial
from itertools import islice

import numpy as np
import pytest

from arena.analysis.worth import FIRST, MOST, expected_points
from arena.rules import Goal, Position, Ruleset
from arena_lab import bench_command
from arena_lab import estimates as measured
from arena_lab.estimates import (
    ScoredGame,
    calibration_error,
    estimates_and_points,
    fit_factors,
    reliabilities,
    scored_games,
)
from support.command_line import Typed, succeeded


def test_the_calibration_error_is_the_mean_distance_of_the_bins() -> None:
    # 0.31 and 0.39 mean 0.35 against 0.5; 0.92 against 1, and 1.0 is in the last bin too
    estimates = np.array([0.31, 0.39, 0.92, 1.0])
    points = np.array([1.0, 0.0, 1.0, 1.0])
    assert calibration_error(estimates, points) == pytest.approx((2 * 0.15 + 2 * 0.04) / 4)
    assert calibration_error(points, points) == 0


def test_certain_positions_are_no_estimates() -> None:
    rules = Ruleset()
    game = ScoredGame(
        opening_plies=2, columns=(0, 1, 0, 1, 0, 1, 0), winner=0, scores=(50, -20, 999_997, 0, 0)
    )
    estimates, points = estimates_and_points(rules, [game])
    wanted = [(40, 50), (39, -20), (37, 0), (36, 0)]
    assert estimates.tolist() == [expected_points(rules, *each) for each in wanted]
    assert points.tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize(("goal", "factors"), [(Goal.FIRST, FIRST), (Goal.MOST, MOST)])
def test_a_regression_finds_the_factors_that_results_were_drawn_with(
    goal: Goal, factors: tuple[float, ...]
) -> None:
    rules = Ruleset(goal=goal)
    rng = np.random.default_rng(1)
    games = []
    for _ in range(20_000):
        ply = int(rng.integers(0, 41))
        score = int(rng.normal(0, 150)) + 1000 * int(rng.integers(-4, 5)) * (goal is Goal.MOST)
        wins = rng.random() < expected_points(rules, 42 - ply, score)
        winner = ply % 2 if wins else 1 - ply % 2
        games.append(ScoredGame(opening_plies=ply, columns=(), winner=winner, scores=(score,)))
    assert fit_factors((rules, game) for game in games) == pytest.approx(factors, abs=0.6)


WEAK = ({"depth": 1}, {"nodes": 50})


def test_both_levels_play_either_side_of_each_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "BUDGETS", WEAK)
    rules = Ruleset(rows=4, columns=5)
    games = list(islice(scored_games(rules, 7), 6))
    assert games == list(islice(scored_games(rules, 7), 6))
    for one, other in zip(games[::2], games[1::2], strict=True):
        plies = one.opening_plies
        assert one.columns[:plies] == other.columns[: other.opening_plies]
        position = Position(rules, one.columns)
        assert position.is_over and position.winner == one.winner
        assert len(one.scores) == len(one.columns) - plies


@pytest.mark.slow
def test_the_command_says_for_each_board_how_far_estimates_are_off(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measured, "BUDGETS", WEAK)
    monkeypatch.setattr(measured, "RULESETS", {"small": Ruleset(rows=5, columns=6)})
    monkeypatch.setattr(bench_command, "reliabilities", partial(reliabilities, games=18))
    output = succeeded(typed("bench", "--estimates"))
    assert output.startswith("5 rows × 6 columns, connect 4: ")
    assert " positions of 18 games; factors fitted to as many others: " in output
    told = json.loads(succeeded(typed("bench", "--estimates", "--json")))
    assert 0 < told["error"] < 1 and len(told["factors"]) == len(FIRST)
