"""What columns are worth: exact values by other ways to them, and what estimates must not do."""

from __future__ import annotations

import csv
import gzip
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.analysis.worth import (
    CALIBRATION_ERROR,
    NODES,
    Appraiser,
    Worth,
    Worths,
    expected_points,
    outcome,
)
from arena.engine import Engine, Solver
from arena.rules import RULESETS, Goal, Position, Ruleset
from arena_lab.estimates import ScoredGame, calibration_error, estimates_and_points
from support.perfect import BruteForce, random_columns

SMALL = Ruleset(rows=3, columns=4, connect=3)
SCORED = Path(__file__).parents[1] / "engine/positions"
BOARDS = list(RULESETS.values())


def positions(rules: Ruleset, count: int, plies: range, seed: int = 1) -> list[Position]:
    """Positions of random play in which somebody is to move."""
    draw = random.Random(seed)
    drawn = (Position(rules, random_columns(rules, draw, draw.choice(plies))) for _ in range(9999))
    return list(islice((each for each in drawn if not each.is_over), count))


def worths(appraiser: Appraiser, position: Position) -> Worths:
    return appraiser.solved(position) or appraiser.estimated(position)


@pytest.mark.parametrize("rules", [SMALL, replace(SMALL, goal=Goal.MOST)])
def test_solved_columns_are_worth_what_looking_at_every_game_says(rules: Ruleset) -> None:
    appraiser, brute = Appraiser(rules, 10**6), BruteForce()
    for position in positions(rules, 40, range(10)):
        values = brute.columns(position)
        found = appraiser.solved(position)
        assert found is not None
        assert {c: worth.exact for c, worth in enumerate(found) if worth} == values
        assert all(w.chance == (outcome(w.exact or 0) + 1) / 2 for w in found if w)


@pytest.mark.parametrize("name", ["Test_L2_R1", "Test_L3_R1"])
def test_the_best_column_is_worth_the_published_value(name: str) -> None:
    appraiser = Appraiser(Ruleset(), 10**7)
    for line in (SCORED / name).read_text().splitlines()[:20]:
        columns, value = line.split()
        found = appraiser.solved(Position(Ruleset(), [int(column) - 1 for column in columns]))
        assert found is not None
        assert max(worth.exact or 0 for worth in found if worth) == int(value)


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_a_mirror_image_has_mirrored_worths_whoever_was_asked_first(rules: Ruleset) -> None:
    last = rules.columns - 1
    appraiser = Appraiser(rules, 1)
    for position in [Position(rules), *positions(rules, 6, range(24))]:
        image = Position(rules, [last - column for column in position.moves])
        found, mirrored = worths(appraiser, position), worths(appraiser, image)
        assert found == mirrored[::-1]
        assert worths(Appraiser(rules, 1), image) == mirrored


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_columns_without_room_are_worth_nothing_and_all_others_something(rules: Ruleset) -> None:
    appraiser = Appraiser(rules, 1)
    for position in positions(rules, 8, range(16, 36)):
        found = appraiser.estimated(position)
        assert [column for column, worth in enumerate(found) if worth] == position.legal()
        for worth in filter(None, found):
            assert worth.exact is not None or 0 < worth.chance < 1
            assert worth == Worth.of(worth.number)


def test_what_an_estimate_calls_exact_the_solver_does_too() -> None:
    appraiser, solver = Appraiser(Ruleset(), 1), Solver(Ruleset())
    proven = 0
    for position in positions(Ruleset(), 15, range(12, 30)):
        values = solver.solve(position).columns
        for worth, value in zip(appraiser.estimated(position), values, strict=True):
            if worth and worth.exact is not None:
                assert worth.exact == value
                proven += worth.exact != 0
    assert proven > 20


def test_maxconnect4_is_exact_where_the_search_reaches_the_full_board() -> None:
    rules = Ruleset(goal=Goal.MOST)
    appraiser, solver = Appraiser(rules, 1), Solver(rules)
    for position in positions(rules, 10, range(35, 41)):
        exact = [worth and worth.exact for worth in appraiser.estimated(position)]
        assert exact == list(solver.solve(position).columns)


def test_a_win_that_was_not_blocked_is_certain_and_so_is_the_one_that_must_be() -> None:
    # X has three in columns 0 to 2 of the lowest row; either side is to move
    rules = Ruleset(rows=8, columns=8)
    ahead = Appraiser(rules, 1).estimated(Position(rules, (0, 0, 1, 1, 2, 2)))
    assert ahead[3] == Worth.known((64 - 6 + 1) // 2)
    behind = Appraiser(rules, 1).estimated(Position(rules, (0, 0, 1, 1, 2)))
    assert [column for column, worth in enumerate(behind) if worth and worth.exact is None] == [3]
    assert {worth.exact for worth in behind if worth and worth.exact} == {-((64 - 6 + 1) // 2)}


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
    estimates, points = estimates_and_points(RULESETS[name], held_out(name))
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
