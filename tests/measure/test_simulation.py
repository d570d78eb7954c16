"""Simulated contests: what ratings and grades claim holds for classes of known strength."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace

import pytest
from support.command_line import Typed

from arena.measure.simulation import (
    USUAL,
    GradeErrors,
    Order,
    Row,
    Scenario,
    advised,
    means,
    simulate_class,
    simulate_classes,
    standard_errors,
)

SMALL = Scenario(population=replace(USUAL, players=6), openings=(1, 3))


def row(openings: int, far: float) -> Row:
    """Return a row in which all figures are the same."""
    order = Order(**dict.fromkeys(Order.__dataclass_fields__, far))
    errors = GradeErrors(wrong=far, far=far, changed=far)
    return Row(openings=openings, games=10 * openings, order=order, grades={"seed": errors})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("students", "openings", "draws", "classes"), [(10, 5, 0.4, 250), (30, 10, 0.2, 150)]
)
def test_intervals_hold_what_they_promise_with_biased_openings_and_draws(
    students: int, openings: int, draws: float, classes: int
) -> None:
    population = replace(USUAL, players=students, bias=150, draws=draws)
    scenario = Scenario(population=population, openings=(openings,))
    (figures,) = means([simulate_class(scenario, seed) for seed in range(classes)])
    assert 0.93 <= figures.order.rating_coverage <= 0.97
    assert 0.93 <= figures.order.difference_coverage <= 0.97
    assert figures.order.rank_coverage >= 0.95


@pytest.mark.slow
def test_more_openings_make_ranks_and_grades_better() -> None:
    scenario = Scenario(openings=(1, 5, 100))
    few, some, many = means([simulate_class(scenario, seed) for seed in range(20)])
    for less, more in ((few, some), (some, many)):
        assert more.order.rank_error < less.order.rank_error
        assert more.order.rating_error < less.order.rating_error
        for rule in ("seed", "curve", "levels"):
            assert more.grades[rule].wrong < less.grades[rule].wrong
            assert more.grades[rule].changed < less.grades[rule].changed
    assert many.order.rank_error < 0.25
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
    assert set(simulate_class(scenario, 1)[0].grades) == {"seed", "curve"}
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


def test_the_command_prints_all_figures_as_json(typed: Typed) -> None:
    words = ("--bots", "4,3", "--openings", "2,1", "--classes", "2", "--spread", "90", "--json")
    code, output, errors = typed("simulate", *words)
    assert code == 0, errors
    small, large = json.loads(output)["fields"]
    assert (small["players"], large["players"]) == (3, 4)
    assert small["spread"] == 90
    assert [each["openings"] for each in small["rows"]] == [1, 2]
    assert small["rows"][1]["games"] == 8 * 7 * 2
    assert set(small["rows"][0]["grades"]) == set(small["advice"]) == {"seed", "curve", "levels"}
    assert set(small["rows"][0]["standard_errors"]["order"]) == set(Order.__dataclass_fields__)


def test_the_command_gives_advice_for_each_rule(typed: Typed) -> None:
    code, output, _ = typed("simulate", "--bots", 5, "--openings", 1, "--classes", 1)
    assert code == 0
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
        ("--draws 1", "1.0 is not in the range"),
        ("--classes 0", "0 is not in the range"),
        ("--bots 500 --openings 1000", "too large to be simulated"),
        ("--from nowhere", "nowhere: no contest in this folder"),
    ],
)
def test_wrong_input_is_refused_in_a_line(typed: Typed, words: str, said: str) -> None:
    code, output, errors = typed("simulate", *words.split())
    assert (code, output) == (2, "")
    assert said in errors
    assert errors.count("\n") == 1
