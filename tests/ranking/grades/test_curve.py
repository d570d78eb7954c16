"""The rule `curve`: by rating, with no boundary between bots that cannot be told apart."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from support.fields import grades, rated, reason

from arena.ranking.grades import CURVE, SEED, Field, field_by_rating, true_field
from arena.ranking.grades.curve import DECIDED
from arena.ranking.ratings import whole
from arena.statistics import fit
from arena.statistics.synthetic import Population, draw_class

CLEAR = {"random": -500.0, "a": 0.0, "b": 100.0, "c": 200.0, "d": 300.0, "reference": 900.0}


def test_bots_that_are_told_apart_share_the_scale_as_by_seed() -> None:
    assert grades(CURVE, rated(CLEAR, 1)) == {"a": 3, "b": 5, "c": 8, "d": 10}


def test_a_chain_of_bots_that_cannot_be_told_apart_has_the_middle_of_its_places() -> None:
    field = rated(CLEAR | {"b": 190.0, "d": 210.0}, 20)
    # places 2, 3 and 4 of 4: ⌈10 · 3/4⌉
    assert grades(CURVE, field) == {"a": 3, "b": 8, "c": 8, "d": 8}
    assert reason(CURVE, field, "c") == (
        "rating 200 is tied with those at places 2 to 4 of 4 from the bottom, as the highest of "
        "them is not surely better than the lowest; their middle gives ⌈10 · 3/4⌉ = 8"
    )
    assert reason(CURVE, field, "a") == (
        "rating 0 is place 1 of 4 from the bottom, tied with nobody, and ⌈10 · 1/4⌉ = 3"
    )
    field = rated(CLEAR | {"a": 0.46}, 1)  # 0.5 in the table
    assert reason(CURVE, field, "a").startswith(f"rating {whole(0.5)} is place 1")
    field = rated(CLEAR | {"a": 1.46}, 1)  # 1.5 in the table
    assert reason(CURVE, field, "a").startswith(f"rating {whole(1.5)} is place 1")


def test_a_chain_whose_ends_surely_differ_is_cut_where_its_neighbours_differ_most() -> None:
    # errors of 20 each: 1.96 · √2 · 20 = 55.4 tells ends apart, 1.64 · √2 · 20 = 46.5 neighbours
    elo = {"a": 0.0, "b": 15.0, "c": 30.0, "d": 52.0, "e": 67.0, "f": 82.0}
    assert grades(CURVE, rated(elo, 20)) == dict.fromkeys("abc", 4) | dict.fromkeys("def", 9)
    close = {bot: rating / 2 for bot, rating in elo.items()}
    assert grades(CURVE, rated(close, 20)) == dict.fromkeys("abcdef", 6)


def test_a_boundary_is_where_neighbours_differ_with_the_likelihood() -> None:
    needed = NormalDist().inv_cdf(DECIDED) * 20 * 2**0.5
    apart = rated({"a": 0.0, "b": needed * 1.01}, 20)
    level = rated({"a": 0.0, "b": needed * 0.99}, 20)
    assert grades(CURVE, apart) == {"a": 5, "b": 10}
    assert grades(CURVE, level) == {"a": 8, "b": 8}


def test_who_is_tied_with_random_is_not_below_it_nor_with_the_reference_above() -> None:
    field = rated({"low": -40.0, "a": -5.0, "random": 0.0, "reference": 500.0, "b": 505.0}, 10)
    assert grades(CURVE, field) == {"low": 0, "a": 5, "b": 10}
    field = rated({"random": 0.0, "a": 492.0, "reference": 500.0, "b": 508.0, "c": 600.0}, 10)
    assert grades(CURVE, field) == {"a": 8, "b": 8, "c": 10}
    assert "above reference" in reason(CURVE, field, "c")


def test_without_house_players_all_share_the_scale() -> None:
    assert grades(CURVE, rated({"a": 0.0, "b": 100.0}, 1)) == {"a": 5, "b": 10}


def test_other_house_players_take_no_place_and_tie_nobody() -> None:
    field = rated(CLEAR | {"novice": 50.0, "greedy": 150.0}, 20)
    assert grades(CURVE, field) == {"a": 3, "b": 5, "c": 8, "d": 10}


def test_if_all_are_level_all_have_the_middle() -> None:
    assert grades(CURVE, rated(dict.fromkeys("abcd", 7.0), 20)) == dict.fromkeys("abcd", 7)


def test_bots_that_are_the_same_are_in_one_chain() -> None:
    field = rated(CLEAR | {"c": 100.0}, 1, same=[("b", "c")])
    assert grades(CURVE, field) == {"a": 3, "b": 7, "c": 7, "d": 10}


def test_without_noise_it_is_the_rule_seed() -> None:
    elo = np.random.default_rng(1).normal(0, 250, 32)
    field = true_field(
        [*map(str, range(30)), "random", "reference"], ["random", "reference"], elo, 9
    )
    assert grades(CURVE, field) == grades(SEED, field)


def classes(count: int) -> list[tuple[Field, Field]]:
    """The fields of classes of 30 after 10 openings, each with that of the true strengths."""
    house = ["random", "reference"]
    bots = [*map(str, range(30)), *house]
    population = Population(players=30, spread=250, house=(-500, 500))
    found = []
    for seed in range(count):
        drawn = draw_class(population, seed)
        ratings = fit(drawn.play(10).evidence())
        found.append(
            (field_by_rating(bots, house, ratings, 10), true_field(bots, house, drawn.elo, 10))
        )
    return found


@pytest.mark.slow
def test_at_most_one_student_in_twenty_is_more_than_a_step_from_the_true_grade() -> None:
    far = [
        abs(given - grades(CURVE, truth)[bot]) > 1
        for field, truth in classes(200)
        for bot, given in grades(CURVE, field).items()
    ]
    assert len(far) == 6000
    assert np.mean(far) <= 0.05
