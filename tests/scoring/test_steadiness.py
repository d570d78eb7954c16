"""How sure grades are: against simulated contests that were played again."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from arena.scoring.field import Field, field_by_rating
from arena.scoring.grade_rules import Rule, curve, levels, scale, seed
from arena.scoring.steadiness import steadiness
from arena.statistics.bradley_terry import Ratings, fit
from arena_lab.synthetic import Population, SyntheticResults, draw_class
from support.fields import rated, scored

SEED, CURVE = seed(), curve()
CLEAR = {"random": -500.0, "a": 0.0, "b": 100.0, "c": 200.0, "d": 300.0, "reference": 900.0}
RULE = levels({5: {"random": 0.5}})


def errors(field: Field, rule: Rule) -> dict[str, float]:
    return dict(zip(field.bots, map(float, steadiness(field, rule, 1).error), strict=True))


def chances(field: Field, rule: Rule) -> dict[str, dict[float, float]]:
    each = steadiness(field, rule, 1).chances
    return {bot: dict(own) for bot, own in zip(field.bots, each, strict=True)}


def test_grades_of_bots_that_are_far_apart_are_sure() -> None:
    for rule in (SEED, CURVE):
        field = rated(CLEAR, 1)
        assert set(errors(field, rule).values()) == {0}
        assert not any(chances(field, rule).values())


def test_two_bots_that_are_level_change_places_with_every_other_seed() -> None:
    field = rated(CLEAR | {"c": 299.0}, 10)
    told = chances(field, SEED)
    assert told["a"] == told["b"] == {}
    assert told["c"].keys() == {10} and told["d"].keys() == {8}
    assert 0.4 < told["c"][10] == told["d"][8] < 0.6
    # the grades 8 and 10 with equal chance have a standard deviation of 1
    assert 1.96 * 0.8 < errors(field, SEED)["c"] < 1.96


def test_on_the_scale_the_error_is_that_of_the_rating() -> None:
    field = rated({"low": -600, "edge": 252, "a": 900, "reference": 1500, "top": 2400}, 40)
    found = errors(field, scale((250, 1250)))
    rounding = 1 / 12  # variance of a rounding error, in steps of 0.1
    assert found["a"] == pytest.approx(0.196 * sqrt(16 + rounding), rel=0.1)
    assert found["low"] == found["top"] == 0
    assert 0.4 * found["a"] < found["edge"] < 0.8 * found["a"]
    assert not any(chances(field, scale()).values())


def test_rare_grades_are_not_named() -> None:
    told = chances(rated(CLEAR | {"c": 262.0}, 10), SEED)
    assert 0.01 <= told["c"][10] < 0.06
    assert chances(rated(CLEAR | {"c": 235.0}, 10), SEED)["c"] == {}


def test_bots_that_are_the_same_stay_so_with_every_seed() -> None:
    field = rated(CLEAR | {"c": 300.0}, 10, same=[("c", "d")])
    assert set(errors(field, SEED).values()) == {0}


def test_scores_near_a_threshold_are_unsure_and_far_from_it_sure() -> None:
    field = scored(
        {
            "far": {"random": [0, 0, 0, 0, 10]},
            "near": {"random": [5, 0, 0, 0, 5]},
            "above": {"random": [2, 0, 1, 0, 7]},
        }
    )
    found, told = errors(field, RULE), chances(field, RULE)
    assert found["far"] < 0.5 < found["above"] < found["near"]
    assert told["near"].keys() == told["above"].keys() == {0}
    assert 0.3 < told["near"][0] < 0.5


def test_scores_are_expected_to_follow_the_ratings() -> None:
    won = {"random": [0, 0, 0, 0, 2]}
    field = scored({"strong": won, "level": won})
    elo = np.zeros(len(field.bots))
    elo[0] = 800
    field = replace(field, ratings=replace(field.ratings, elo=elo))
    rule = levels({5: {"random": 0.9}})
    found = errors(field, rule)
    assert found["strong"] < 0.7 < 2 < found["level"]


@pytest.mark.parametrize("rule", [SEED, CURVE])
def test_what_fails_always_stays_at_the_bottom_with_every_seed(rule: Rule) -> None:
    field = rated({"wreck": -810.0, "ruin": -805.0, "random": -800.0, "a": 0, "reference": 800}, 40)
    failing = replace(field, failing=frozenset({"wreck", "ruin"}))
    before, now = errors(field, rule), errors(failing, rule)
    assert now["wreck"] <= before["wreck"] and before["a"] == now["a"] == 0
    if rule is SEED:
        assert before["wreck"] > 1 and now["wreck"] == now["ruin"] == 0


def test_the_same_seed_says_the_same() -> None:
    field = rated(CLEAR, 40)
    assert errors(field, SEED) == errors(field, SEED)
    other = steadiness(field, SEED, 8)
    assert list(errors(field, SEED).values()) != list(other.error)


def _field(bots: list[str], house: list[str], results: SyntheticResults, best: float) -> Field:
    """Return the field of a class, on the scale on which `reference` has the rating `best`."""
    ratings = fit(results.evidence())
    own = ratings.covariance[-1]
    covariance = ratings.covariance - own[:, None] - own[None, :] + own[-1]
    elo = ratings.elo + best - ratings.elo[-1]
    return field_by_rating(bots, house, Ratings(elo=elo, covariance=covariance))


@pytest.fixture(scope="module")
def classes() -> list[list[Field]]:
    """Four classes, each played with 40 seeds."""
    house = ["random", "reference"]
    bots = [*map(str, range(30)), *house]
    drawn = [draw_class(Population(players=30, house=(-600, 600)), number) for number in range(4)]
    return [
        [_field(bots, house, each.play(10, again), 600) for again in range(40)] for each in drawn
    ]


@pytest.mark.slow
@pytest.mark.parametrize("rule", [SEED, CURVE, seed(1), scale((-650, 600))])
def test_the_interval_holds_the_mean_grade_of_many_seeds(
    rule: Rule, classes: list[list[Field]]
) -> None:
    held: list[np.bool_] = []
    for fields in classes:
        values = np.array([rule.mark(field).values for field in fields])
        for field, own in list(zip(fields, values, strict=True))[:8]:
            error = steadiness(field, rule, 1).error
            near = np.abs(own - values.mean(axis=0)) <= error + 1e-9
            held += list(near[field.students])
    assert len(held) == 960
    assert 0.92 <= np.mean(held) <= 0.98
