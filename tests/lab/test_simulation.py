"""Simulated contests: ratings and grades keep their promises."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from arena.common.errors import InputError, MachineError
from arena.contest.session import Session
from arena.settings.contest import Contest
from arena_lab.figures import (
    GradeErrors,
    OrderQuality,
    SimulatedRow,
    advised,
    means,
    round_robin_games,
    standard_errors,
)
from arena_lab.population import scenario_of
from arena_lab.simulation import USUAL, Scenario, simulate_class, simulate_classes
from arena_lab.synthetic import draw_class
from support.command_line import Typed, refused, succeeded

SMALL = Scenario(population=replace(USUAL, players=6), openings=(1, 3))


def row(openings: int, far: float, in_rounds: bool = False) -> SimulatedRow:
    """Return a row with equal figures."""
    return SimulatedRow(
        openings=openings,
        in_rounds=in_rounds,
        games=10 * openings,
        order=OrderQuality(**dict.fromkeys(OrderQuality.__dataclass_fields__, far)),
        grades={"seed": GradeErrors(wrong=far, far=far, within_half=1 - far, within_one=1)},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("students", "openings", "draws", "classes"), [(10, 5, 0.4, 100), (30, 10, 0.2, 60)]
)
def test_intervals_hold_what_they_promise_with_biased_openings_and_draws(
    students: int, openings: int, draws: float, classes: int
) -> None:
    population = replace(USUAL, players=students, bias=150, draws=draws)
    scenario = Scenario(population=population, openings=(openings,), seeds=1)
    (figures,) = means([simulate_class(scenario, seed) for seed in range(classes)])
    assert 0.93 <= figures.order.rating_coverage <= 0.97
    assert 0.93 <= figures.order.difference_coverage <= 0.97
    assert figures.order.rank_coverage >= 0.95


@pytest.mark.slow
def test_more_openings_make_ranks_and_grades_better() -> None:
    scenario = Scenario(openings=(1, 5, 40))
    few, some, many = means([simulate_class(scenario, seed) for seed in range(6)])
    for less, more in ((few, some), (some, many)):
        assert more.order.rank_error < less.order.rank_error
        assert more.order.rating_error < less.order.rating_error
        for rule in ("seed", "curve", "levels"):
            assert more.grades[rule].wrong < less.grades[rule].wrong
            assert more.grades[rule].within_half > less.grades[rule].within_half
    assert many.order.rank_error < 0.4
    assert many.grades["seed"].far == 0


def test_the_results_depend_on_the_seed_and_not_on_the_workers() -> None:
    one, two = (list(simulate_classes(SMALL, 3, seed=1, workers=number)) for number in (1, 2))
    assert one == two
    assert one != list(simulate_classes(SMALL, 3, seed=2, workers=1))
    assert not multiprocessing.active_children()


def test_a_row_does_not_depend_on_the_others() -> None:
    (_, last) = simulate_class(SMALL, 1)
    assert simulate_class(replace(SMALL, openings=(3,)), 1) == (last,)


def test_rules_that_lack_their_house_players_are_left_out() -> None:
    population = replace(USUAL, players=6, house=(-785.0, 485.0))
    scenario = replace(SMALL, population=population, house=("random", "reference"))
    assert set(simulate_class(scenario, 1)[0].grades) == {"seed", "curve", "scale"}
    alone = replace(SMALL, population=replace(population, house=()), house=())
    assert set(simulate_class(alone, 1)[0].grades) == {"curve"}


def test_means_and_their_errors_are_taken_over_classes() -> None:
    classes = [(row(1, 0.1), row(2, 0.3)), (row(1, 0.3), row(2, 0.3))]
    first, second = means(classes)
    assert first.grades["seed"].far == pytest.approx(0.2)
    assert second.order.rank_error == pytest.approx(0.3)
    assert (first.openings, first.games) == (1, 10)
    first, second = standard_errors(classes)
    assert first.order.rank_error == pytest.approx(0.1)
    assert second.grades["seed"].wrong == 0


def test_the_advice_is_the_fewest_openings_that_suffice() -> None:
    rows = [row(1, 0.2), row(2, 0.05), row(5, 0.01)]
    assert advised(rows, "seed") is rows[1]
    assert advised(rows[:1], "seed") is None
    assert advised([rows[0], row(1, 0.0, in_rounds=True)], "seed") is None


def test_the_games_of_an_equal_round_robin_follow_the_root_of_their_number() -> None:
    rows = [row(1, 0.4), row(4, 0.2), row(1, 0.1, in_rounds=True)]
    assert round_robin_games(rows, 0.4) == pytest.approx(10)
    assert round_robin_games(rows, 0.4 / 2**0.5) == pytest.approx(20)
    assert round_robin_games(rows, 0.1) is None
    assert round_robin_games(rows, 0.5) is None


@pytest.mark.slow
def test_contests_that_end_when_settled_save_games_for_ranks_as_good() -> None:
    scenario = Scenario(openings=(2, 10), until_settled=0.95)
    short, long, _, settled = rows = means([simulate_class(scenario, seed) for seed in range(4)])
    assert [row.in_rounds for row in rows] == [False, False, True, True]
    assert set(settled.grades) == set(long.grades) - {"levels"}
    assert settled.games < long.games / 2
    assert settled.order.rank_error < short.order.rank_error
    assert settled.order.difference_coverage > 0.85
    needed = round_robin_games(rows, settled.order.rank_error)
    assert needed is not None
    assert settled.games < needed


def test_the_command_prints_all_figures_as_json(typed: Typed) -> None:
    words = "--bots 4,3 --openings 2,1 --classes 2 --spread 90 --until-settled --json"
    output = succeeded(typed("simulate", *words.split()))
    small, large = json.loads(output)["fields"]
    assert (small["players"], large["players"]) == (3, 4)
    assert small["spread"] == 90
    assert [each["openings"] for each in small["rows"]] == [1, 2, 1, 2]
    assert [each["in_rounds"] for each in small["rows"]] == [False, False, True, True]
    assert "round_robin_games" in small["rows"][2]
    assert small["rows"][1]["games"] == 9 * 8 * 2
    assert (
        set(small["rows"][0]["grades"])
        == set(small["advice"])
        == {"seed", "curve", "levels", "scale"}
    )
    assert set(small["rows"][0]["standard_errors"]["order"]) == set(
        OrderQuality.__dataclass_fields__
    )


def test_the_command_gives_advice_for_each_rule(typed: Typed) -> None:
    output = succeeded(typed("simulate", "--bots", 5, "--openings", 1, "--classes", 1))
    for rule in ("seed", "curve", "levels"):
        assert f"graded by {rule}: " in output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--bots 1", "'1' is not a whole number from 2"),
        ("--bots abc", "'abc' is not a whole number"),
        ("--bots 30,", "'' is not a whole number"),
        ("--openings 0", "'0' is not a whole number from 1"),
        ("--spread -3", "-3.0 is not in the range"),
        ("--spread nan", "nan is not a number"),
        ("--until-settled 0.5", "0.5 is not in the range"),
        ("--draws 1", "1.0 is not in the range"),
        ("--classes 0", "0 is not in the range"),
        ("--bots 500 --openings 1000", "too large to simulate"),
        ("--from nowhere", "nowhere: no contest in this folder"),
    ],
)
def test_wrong_input_is_refused_in_a_line(typed: Typed, words: str, said: str) -> None:
    assert said in refused(typed("simulate", *words.split()))


def test_a_contest_that_says_nothing_of_students_is_refused() -> None:
    results = SimpleNamespace(settled=SimpleNamespace(games=[]))
    session = SimpleNamespace(
        folder=SimpleNamespace(path="results/new"),
        contest=Contest(),
        settle=lambda graded=True: results,
    )
    with pytest.raises(InputError, match="results/new: to estimate how far students are apart"):
        scenario_of(cast(Session, session), SMALL)


def test_a_worker_that_is_killed_is_the_machines_fault() -> None:
    rows = simulate_classes(SMALL, 50, seed=1, workers=1)
    next(rows)
    for worker in multiprocessing.active_children():
        worker.kill()
    with pytest.raises(MachineError, match="a simulating process was killed"):
        list(rows)


def test_held_house_players_make_grades_by_scale_hold_over_seeds() -> None:
    own, floating = replace(SMALL, openings=(3,)), replace(SMALL, openings=(3,), is_held=False)
    held, free = (
        means([simulate_class(scenario, seed) for seed in range(20)])[0]
        for scenario in (own, floating)
    )
    assert held.grades["scale"].within_half > free.grades["scale"].within_half + 0.05
    assert held.grades["scale"].wrong < free.grades["scale"].wrong
    assert held.grades["levels"] == free.grades["levels"]  # these do not use ratings


def test_games_that_are_chosen_tell_more_than_as_many_of_a_round_robin() -> None:
    population = replace(USUAL, players=24)
    scenario = Scenario(population=population, openings=(1, 8), seeds=2, games_each=58)
    robin, _, _, chosen = simulate_class(scenario, 1)
    assert (robin.in_rounds, chosen.in_rounds) == (False, True)
    assert chosen.games == robin.games == 30 * 29
    assert chosen.order.rating_error < 0.9 * robin.order.rating_error
    assert chosen.order.rank_correlation > 0.9


def test_fewer_games_than_a_first_round_has_are_a_first_round() -> None:
    scenario = replace(SMALL, openings=(5,), games_each=4)
    _, chosen = simulate_class(scenario, 1)
    assert chosen.games == 12 * 6  # each of twelve meets six others, with both sides


def test_two_bots_alone_can_be_simulated() -> None:
    population = replace(USUAL, players=2, spread=0, house=())
    scenario = Scenario(population=population, house=(), openings=(2,))
    (figures,) = simulate_class(scenario, 1)
    assert -1 <= figures.order.rank_correlation <= 1
    assert {errors.moved_by_bot for errors in figures.grades.values()} == {0}


def test_a_shuffled_pairing_has_the_same_openings_and_results() -> None:
    results = draw_class(population=replace(USUAL, players=4), seed=1).play(6, shared=2)
    shuffled = results.shuffled()
    assert (shuffled.opening != results.opening).any()
    for pairing in range(len(results.one)):
        as_pairs = [
            sorted(zip(each.opening[:, pairing], each.points[:, pairing].tolist(), strict=True))
            for each in (results, shuffled)
        ]
        assert as_pairs[0] == as_pairs[1]


def test_settled_contests_hold_house_players_too() -> None:
    scenario = replace(SMALL, openings=(6,), until_settled=0.95)
    held, free = (
        means([simulate_class(each, seed) for seed in range(5)])[-1]
        for each in (scenario, replace(scenario, is_held=False))
    )
    assert held.games < free.games
    assert held.grades["scale"].within_half > free.grades["scale"].within_half + 0.05


def test_grading_again_moves_few_grades_by_scale() -> None:
    (figures,) = means([simulate_class(replace(SMALL, openings=(5,)), seed) for seed in range(10)])
    assert figures.grades["scale"].moved_by_bot <= 0.05
    assert figures.grades["scale"].moved_by_opening <= 0.05
    assert figures.grades["levels"].moved_by_bot == 0  # only games against house players count
    assert figures.grades["seed"].moved_by_bot > 0.05  # ranks do change
    assert figures.grades["levels"].moved_by_opening > 0.05


def test_intervals_of_grades_are_checked_with_many_seeds_only() -> None:
    few, many = (simulate_class(replace(SMALL, seeds=seeds), 1)[1] for seeds in (19, 20))
    assert {errors.covered for errors in few.grades.values()} == {0}
    assert all(errors.covered > 0.8 for errors in many.grades.values())
