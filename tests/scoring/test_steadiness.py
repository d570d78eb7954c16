"""How steady grades are: against simulated contests that were played again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arena.scoring.field import field_by_rating
from arena.scoring.grade_rules import Rule, curve, levels, seed
from arena.scoring.steadiness import steadiness
from arena.statistics.bradley_terry import Ratings, fit
from arena_lab.synthetic import Population, draw_class
from support.fields import rated, scored

SEED, CURVE = seed(), curve()
CLEAR = {"random": -500.0, "a": 0.0, "b": 100.0, "c": 200.0, "d": 300.0, "reference": 900.0}
RULE = levels({5: {"random": 0.5}})


def test_grades_of_bots_that_are_far_apart_are_sure() -> None:
    for rule in (SEED, CURVE):
        steady = steadiness(rated(CLEAR, 1), rule, 1)
        assert (steady.sure == 1).all()
        assert (steady.openings == 0).all()


def test_two_bots_that_are_level_change_places_with_every_other_seed() -> None:
    field = rated(CLEAR | {"c": 299.0}, 10)
    steady = steadiness(field, SEED, 1)
    by_bot = dict(zip(field.bots, steady.sure, strict=True))
    assert by_bot["a"] == by_bot["b"] == 1
    assert 0.4 < by_bot["c"] < 0.65
    assert 0.4 < by_bot["d"] < 0.65


def test_openings_settle_a_difference_as_the_root_of_their_number() -> None:
    # √2 · √2 · 20 / √f of noise between two that are 40 apart: 1.645 standard errors for f = 2.7
    field = rated(CLEAR | {"c": 260.0}, 20)
    openings = dict(zip(field.bots, steadiness(field, SEED, 1).openings, strict=True))
    assert openings["a"] == 0
    assert 13 <= openings["c"] == openings["d"] <= 25
    field = rated(CLEAR | {"c": 300.0}, 20)  # level with d: no number is enough
    openings = dict(zip(field.bots, steadiness(field, SEED, 1).openings, strict=True))
    assert (openings["b"], openings["c"], openings["d"]) == (0, -1, -1)


def test_bots_that_are_the_same_stay_so_with_every_seed() -> None:
    field = rated(CLEAR | {"c": 300.0}, 10, same=[("c", "d")])
    steady = steadiness(field, SEED, 1)
    assert (steady.sure == 1).all()


def test_scores_near_a_threshold_are_unsure_and_far_from_it_sure() -> None:
    field = scored(
        {
            "far": {"random": [0, 0, 0, 0, 10]},
            "near": {"random": [5, 0, 0, 0, 5]},
            "above": {"random": [2, 0, 1, 0, 7]},
        }
    )
    steady = steadiness(field, RULE, 1)
    far, near, above = steady.sure[:3]
    assert far > 0.99
    assert near < 0.75
    assert near < above < far
    assert steady.openings[0] == 0
    assert steady.openings[2] > 0


@pytest.mark.parametrize("rule", [SEED, CURVE])
def test_what_fails_always_stays_at_the_bottom_with_every_seed(rule: Rule) -> None:
    field = rated({"wreck": -810.0, "ruin": -805.0, "random": -800.0, "a": 0, "reference": 800}, 40)
    failing = frozenset({"wreck", "ruin"})
    before, now = steadiness(field, rule, 1), steadiness(replace(field, failing=failing), rule, 1)
    assert (now.sure[:2] >= before.sure[:2]).all() and before.sure[3] == now.sure[3] == 1
    if rule is SEED:
        assert (before.sure[:2] < 0.9).all() and (now.sure[:2] == 1).all()
        assert (now.openings[:2] == 0).all()


def test_the_same_seed_says_the_same() -> None:
    field = rated(CLEAR, 40)
    one, other = steadiness(field, SEED, 7), steadiness(field, SEED, 7)
    assert (one.sure == other.sure).all()
    assert (one.openings == other.openings).all()
    assert (steadiness(field, SEED, 8).sure != one.sure).any()


@pytest.mark.slow
@pytest.mark.parametrize("rule", [SEED, CURVE])
def test_it_foretells_how_many_grades_another_seed_changes(rule: object) -> None:
    house = ["random", "reference"]
    bots = [*map(str, range(30)), *house]
    foretold, seen = [], []
    for number in range(4):
        drawn = draw_class(Population(players=30, house=(-600, 600)), number)
        one, other = (
            field_by_rating(bots, house, fit(drawn.play(10, again).evidence()), 10)
            for again in (1, 2)
        )
        mask = one.students
        foretold += list(steadiness(one, rule, 1).sure[mask])  # type: ignore[arg-type]
        same = rule.mark(one).values == rule.mark(other).values  # type: ignore[attr-defined]
        seen += list(same[mask])
    assert len(seen) == 120
    assert abs(np.mean(foretold) - np.mean(seen)) < 0.07
    surest = np.array(foretold) >= 0.95
    assert np.mean(np.array(seen)[surest]) > 0.9


def test_more_openings_are_counted_from_those_that_were_played() -> None:
    field = rated(CLEAR | {"c": 260.0}, 20)
    covariance = field.ratings.covariance / 4
    later = replace(
        field, openings=40, ratings=Ratings(elo=field.ratings.elo, covariance=covariance)
    )
    assert (steadiness(later, SEED, 1).openings == 0).all()
