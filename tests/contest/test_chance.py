"""Scores turned into expected points: the shape of the formula, and how far it is off."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contest.worth import CALIBRATION_ERROR, NODES, expected_points
from arena.engine import Engine
from arena.measure.estimates import ScoredGame, calibration_error, judged
from arena.rules import RULESETS, Goal, Position, Ruleset

GAMES = Path(__file__).parent / "games"
"""Games that nothing was fitted to: the first 1,500 of `scored_games` with seed 2."""

SCORES = st.integers(-400_000, 400_000)


def held_out(name: str) -> Iterator[ScoredGame]:
    """The games of a preset's board."""
    with gzip.open(GAMES / f"{name}.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            yield ScoredGame(
                opening_plies=int(row["opening_plies"]),
                columns=tuple(map(int, row["columns"])),
                winner=int(row["winner"]) if row["winner"] else None,
                scores=tuple(map(int, row["scores"].split())),
            )


@pytest.mark.parametrize("name", RULESETS)
def test_estimates_are_right_on_average_in_games_that_nothing_was_fitted_to(name: str) -> None:
    estimates, points = judged(RULESETS[name], held_out(name))
    assert len(estimates) > 5000
    assert calibration_error(estimates, points) <= CALIBRATION_ERROR


@pytest.mark.parametrize("name", RULESETS)
def test_the_scores_of_those_games_are_the_engines(name: str) -> None:
    rules = RULESETS[name]
    engine = Engine(rules)
    for game in list(held_out(name))[::400]:
        for index in (0, len(game.scores) // 2, len(game.scores) - 1):
            position = Position(rules, game.columns[: game.opening_plies + index])
            assert engine.search(position, nodes=NODES).score == game.scores[index]
        over = Position(rules, game.columns)
        assert over.is_over and over.winner == game.winner


@given(st.integers(1, 41), SCORES, SCORES)
def test_a_higher_score_is_never_worth_less(empty: int, one: int, other: int) -> None:
    low, high = sorted((one, other))
    rules = Ruleset()
    assert expected_points(rules, empty, low) <= expected_points(rules, empty, high)


@given(st.integers(1, 41), st.lists(st.integers(-20, 20), min_size=2), st.integers(-400, 400))
def test_more_lines_are_never_worth_less_nor_is_more_beside_them(
    empty: int, lines: list[int], rest: int
) -> None:
    rules = Ruleset(goal=Goal.MOST)
    for made in lines:
        points = expected_points(rules, empty, 1000 * made + rest)
        assert points <= expected_points(rules, empty, 1000 * max(lines) + rest)
        assert points <= expected_points(rules, empty, 1000 * made + 400)


@given(st.sampled_from(BOARDS := list(RULESETS.values())), st.integers(1, 42), SCORES)
def test_what_one_side_expects_the_other_does_not(rules: Ruleset, empty: int, score: int) -> None:
    points = expected_points(rules, empty, score)
    assert 0 < points < 1
    assert points + expected_points(rules, empty, -score) == pytest.approx(1)
    assert expected_points(rules, empty, 0) == 0.5


def test_the_same_score_says_more_on_a_fuller_board() -> None:
    for rules in BOARDS:
        assert 0.5 < expected_points(rules, 30, 200) < expected_points(rules, 10, 200)
