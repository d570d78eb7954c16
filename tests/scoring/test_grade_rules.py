"""The grade rules, against the rule that the 8×8 course prints and fields worked by hand."""

from __future__ import annotations

from math import ceil
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.common.text import rounded_rating
from arena.scoring.field import Field, field_by_rating
from arena.scoring.grade_rules import DECIDED, curve, levels, scale, seed
from arena.settings.contest import Grading
from arena.statistics.bradley_terry import fit
from arena_lab.simulation import true_field
from arena_lab.synthetic import Population, draw_class
from support.fields import grades, ranked, rated, reason, scored

SEED, CURVE = seed(), curve()
CLEAR = {"random": -500.0, "a": 0.0, "b": 100.0, "c": 200.0, "d": 300.0, "reference": 900.0}


def by_seed(ranks: dict[str, int]) -> dict[str, float]:
    return grades(SEED, ranked(ranks))


def in_order(*bots: str) -> dict[str, int]:
    return {bot: rank for rank, bot in enumerate(bots, 1)}


def test_grades_by_the_rule_of_seed_000_where_other_house_players_take_no_place() -> None:
    ranks = in_order("s1", "reference", "s2", "s3", "s4", "random", "s5")
    assert by_seed(ranks) == {"s1": 10, "s2": 10, "s3": 7, "s4": 4, "s5": 0}
    ranks = in_order("reference", "a", "novice", "greedy", "b", "random")
    assert by_seed(ranks) == {"a": 10, "b": 5}


@given(st.lists(st.integers(1, 30), min_size=2, max_size=40))
def test_it_is_what_counting_gives(places: list[int]) -> None:
    ranks = {f"s{index}": place for index, place in enumerate(places[2:])}
    reference, random = sorted(places[:2])
    middle = [rank for rank in ranks.values() if reference <= rank <= random]
    expected = {}
    for bot, rank in ranks.items():
        no_better = sum(other >= rank for other in middle)
        between = -(-10 * no_better // max(len(middle), 1))
        expected[bot] = 0 if rank > random else 10 if rank < reference else between
    assert by_seed(ranks | {"reference": reference, "random": random}) == expected


def test_the_reason_has_the_numbers() -> None:
    field = ranked(in_order("top", "reference", "a", "b", "c", "random", "low"))
    assert reason(SEED, field, "b") == (
        "rank 4; of the 3 bots between random and reference it is at least as good "
        "as 2 (itself included): ⌈10 · 2/3⌉ = 7"
    )
    assert reason(SEED, field, "top") == "rank 1 is above reference, which has rank 2"
    alone = ranked(in_order("reference", "a", "random"))
    assert "; of the 1 bot between random" in reason(SEED, alone, "a")
    assert reason(SEED, field, "low") == "rank 7 is below random, which has rank 6"


RULE = levels(
    {
        3: {"random": 0.5},
        6: {"random": 0.9, "greedy": 0.5},
        10: {"greedy": 0.75, "novice": 0.25},
    }
)
ALL, HALF, NONE = [0, 0, 0, 0, 4], [0, 0, 4, 0, 0], [4, 0, 0, 0, 0]


def test_a_bot_gets_the_highest_grade_of_which_it_reaches_everything() -> None:
    field = scored(
        {
            "none": {"random": NONE, "greedy": ALL, "novice": NONE},
            "three": {"random": HALF, "greedy": ALL, "novice": NONE},
            "six": {"random": ALL, "greedy": HALF, "novice": ALL},
            "ten": {"random": NONE, "greedy": [1, 0, 0, 0, 3], "novice": [3, 0, 0, 0, 1]},
            "near": {"random": ALL, "greedy": [1, 0, 1, 1, 1], "novice": ALL},
        }
    )
    assert grades(RULE, field) == {"none": 0, "three": 3, "six": 6, "ten": 10, "near": 6}


def test_a_bot_without_a_game_against_a_player_reaches_nothing_of_it() -> None:
    field = scored({"ann": {"random": ALL}})
    assert grades(RULE, field) == {"ann": 3}
    assert reason(RULE, field, "ann") == (
        "it scored 100 % against random (50 % needed); grade 6 needs 50 % against greedy (it has "
        "no game)"
    )


def test_the_reason_names_what_was_reached_and_what_the_next_grade_needs() -> None:
    field = scored({"ann": {"random": ALL, "greedy": [0, 1, 1, 1, 1], "novice": [3, 0, 1, 0, 0]}})
    assert reason(RULE, field, "ann") == (
        "it scored 100 % against random (90 % needed) and 62.5 % against greedy (50 % needed); "
        "grade 10 needs 75 % against greedy (it has 62.5 %) and 25 % against novice (it has 12.5 %)"
    )
    best = scored({"ann": {"greedy": ALL, "novice": [3, 0, 0, 0, 1]}})
    assert reason(RULE, best, "ann") == (
        "it scored 100 % against greedy (75 % needed) and 25 % against novice (25 % needed)"
    )
    worst = scored({"ann": {"random": NONE}})
    assert reason(RULE, worst, "ann") == "grade 3 needs 50 % against random (it has 0 %)"


def test_a_share_that_misses_a_threshold_does_not_look_like_it() -> None:
    field = scored({"ann": {"random": [1, 0, 0, 0, 9], "greedy": [4001, 0, 0, 0, 3999]}})
    assert "50 % against greedy (it has 49.9 %)" in reason(RULE, field, "ann")


def test_arenas_own_thresholds_lead_from_nothing_to_ten() -> None:
    rule = levels(Grading().thresholds)
    assert set(rule.needs) == {"random", "greedy", "novice", "reference", "master"}
    field = scored(
        {
            "none": dict.fromkeys(rule.needs, NONE),
            "best": dict.fromkeys(rule.needs, ALL),
            "even": dict.fromkeys(rule.needs, HALF) | {"random": ALL, "greedy": NONE},
        }
    )
    assert grades(rule, field) == {"none": 0, "best": 10, "even": 3}


TOLD_APART = {"a": 3, "b": 5, "c": 8, "d": 10}
LONG_CHAIN = {"a": 0.0, "b": 15.0, "c": 30.0, "d": 52.0, "e": 67.0, "f": 82.0}
BOUNDARY = NormalDist().inv_cdf(DECIDED) * 20 * 2**0.5


@pytest.mark.parametrize(
    ("elo", "error", "expected"),
    [
        (CLEAR, 1, TOLD_APART),
        # places 2, 3 and 4 of 4: ⌈10 · 3/4⌉
        (CLEAR | {"b": 190.0, "d": 210.0}, 20, {"a": 3, "b": 8, "c": 8, "d": 8}),
        # errors of 20: 1.96 · √2 · 20 = 55.4 tells ends apart, 1.64 · √2 · 20 = 46.5 neighbours
        (LONG_CHAIN, 20, dict.fromkeys("abc", 4) | dict.fromkeys("def", 9)),
        (LONG_CHAIN, 40, dict.fromkeys("abcdef", 6)),
        ({"a": 0.0, "b": BOUNDARY * 1.01}, 20, {"a": 5, "b": 10}),
        ({"a": 0.0, "b": BOUNDARY * 0.99}, 20, {"a": 8, "b": 8}),
        # tied with `random`, and with `reference`
        (
            {"low": -40.0, "a": -5.0, "random": 0.0, "reference": 500.0, "b": 505.0},
            *(10, {"low": 0, "a": 5, "b": 10}),
        ),
        (
            {"random": 0.0, "a": 492.0, "reference": 500.0, "b": 508.0, "c": 600.0},
            *(10, {"a": 8, "b": 8, "c": 10}),
        ),
        ({"a": 0.0, "b": 100.0}, 1, {"a": 5, "b": 10}),
        (CLEAR | {"novice": 50.0, "greedy": 150.0}, 20, TOLD_APART),
        (dict.fromkeys("abcd", 7.0), 20, dict.fromkeys("abcd", 7)),
    ],
)
def test_a_chain_of_bots_that_cannot_be_told_apart_has_the_middle_of_its_places(
    elo: dict[str, float], error: float, expected: dict[str, int]
) -> None:
    assert grades(CURVE, rated(elo, error)) == expected


def test_the_reason_of_a_chain_has_its_places_and_the_rating_of_the_table() -> None:
    field = rated(CLEAR | {"b": 190.0, "d": 210.0}, 20)
    assert reason(CURVE, field, "c") == (
        "rating 200 has places 2 to 4 of 4 from the bottom in a tie, as the best of these bots "
        "is not surely better than the worst; the middle gives ⌈10 · 3/4⌉ = 8"
    )
    assert reason(CURVE, field, "a") == (
        "rating 0 is place 1 of 4 from the bottom, without a tie: ⌈10 · 1/4⌉ = 3"
    )
    for rating, in_table in ((0.46, 0.5), (1.46, 1.5)):
        field = rated(CLEAR | {"a": rating, "low": -700.0, "high": 1100.0}, 1)
        begin = f"rating {rounded_rating(in_table)} is place 1"
        assert reason(CURVE, field, "a").startswith(begin)
    assert "is below random" in reason(CURVE, field, "low")
    assert "is above reference" in reason(CURVE, field, "high")


def test_bots_that_are_the_same_are_in_one_chain() -> None:
    field = rated(CLEAR | {"c": 100.0}, 1, same=[("b", "c")])
    assert grades(CURVE, field) == {"a": 3, "b": 7, "c": 7, "d": 10}


def test_without_noise_it_is_the_rule_seed() -> None:
    elo = np.random.default_rng(1).normal(0, 250, 32)
    field = true_field([*map(str, range(30)), "random", "reference"], ["random", "reference"], elo)
    assert grades(CURVE, field) == grades(SEED, field)


def test_with_decimals_places_and_chains_are_rounded_up_to_a_tenth() -> None:
    field = ranked(in_order("top", "reference", "a", "b", "c", "random", "low"))
    assert grades(seed(1), field) == {"top": 10, "a": 10, "b": 6.7, "c": 3.4, "low": 0}
    assert reason(seed(1), field, "b").endswith(": ⌈100 · 2/3⌉ / 10 = 6.7")
    field = rated(CLEAR | {"b": 190.0, "d": 210.0}, 20)
    assert grades(curve(1), field) == {"a": 2.5, "b": 7.5, "c": 7.5, "d": 7.5}
    assert reason(curve(1), field, "a").endswith(": ⌈100 · 1/4⌉ / 10 = 2.5")


@given(st.lists(st.integers(1, 30), min_size=2, max_size=40))
def test_decimals_only_add_steps(places: list[int]) -> None:
    ranks = {f"s{index}": place for index, place in enumerate(places[2:])}
    reference, random = sorted(places[:2])
    field = ranked(ranks | {"reference": reference, "random": random})
    fine, whole = grades(seed(1), field), grades(SEED, field)
    assert {bot: ceil(round(value, 6)) for bot, value in fine.items()} == whole


def test_with_decimals_the_way_to_the_next_grade_counts_as_far_as_the_worst_score() -> None:
    thresholds = {3: {"random": 0.5}, 6: {"random": 1.0, "greedy": 0.5}, 7: {"novice": 0.25}}
    field = scored(
        {
            "begun": {"random": [3, 0, 0, 0, 1]},  # 25 of 50 %: half of the way to 3
            "far": {"random": [1, 0, 0, 0, 3], "greedy": ALL},  # 75 %: half of the way to 6
            "held": {"random": ALL, "greedy": [7, 0, 0, 0, 1]},  # 12.5 of 50 %: a quarter
            "stuck": {"random": ALL, "greedy": NONE},
            "unmet": {"random": ALL},
            "top": {"novice": ALL},
        }
    )
    rule = levels(thresholds, decimals=1)
    expected = {"begun": 1.5, "far": 4.5, "held": 3.7, "stuck": 3, "unmet": 3, "top": 7}
    assert grades(rule, field) == expected
    assert reason(rule, field, "held") == (
        "it scored 100 % against random (50 % needed); grade 6 needs 50 % against greedy (it has "
        "12.5 %); its part of the way from 3 to 6 makes 3.7"
    )
    whole = levels(thresholds)
    assert grades(whole, field) == {
        bot: min(value // 3 * 3, 7) for bot, value in expected.items()
    } | {"top": 7}


SCALE = scale()


@pytest.mark.parametrize(
    ("rating", "decimals", "grade"),
    [
        (250, 1, 0),
        (1500, 1, 10),
        (1120, 1, 7.0),  # 6.96
        (1118.6, 1, 7.0),  # as 1119: 6.952
        (1118, 1, 6.9),  # 6.944
        (875, 1, 5),
        (812.5, 1, 4.5),  # as 812: 4.496
        (1064, 0, 7),  # 6.512
        (937.5, 0, 6),  # as 938: 5.504
        (937, 0, 5),  # 5.496
        (-900, 1, 0),
        (2100, 1, 10),
    ],
)
def test_the_scale_is_a_line_between_two_ratings(
    rating: float, decimals: int, grade: float
) -> None:
    field = rated({"random": 15, "a": rating, "reference": 1500}, 10)
    assert grades(scale(decimals=decimals), field) == {"a": grade}


def test_half_a_step_is_rounded_up() -> None:
    field = rated({"a": 50, "b": 150, "c": 450, "reference": 1000}, 10)
    assert grades(scale((0, 1000), 0), field) == {"a": 1, "b": 2, "c": 5}


def test_the_reason_of_the_scale_can_be_worked_by_hand() -> None:
    field = rated({"a": 1119.6, "low": 249.4, "high": 1501, "reference": 1500}, 10)
    assert reason(SCALE, field, "a") == (
        "rating 1120 is on the line from 250 (grade 0) to 1500 (grade 10): "
        "10 · (1120 − 250) / 1250 = 6.960, rounded 7.0"
    )
    assert reason(SCALE, field, "low") == "rating 249 is below 250, where grade 0 ends"
    assert reason(SCALE, field, "high") == "rating 1501 is above 1500, where grade 10 begins"


def test_on_the_scale_nobody_elses_rating_matters() -> None:
    alone = rated({"a": 800.0, "reference": 1500.0}, 10)
    beside = rated({"a": 800.0, "b": 790.0, "c": 1700.0, "reference": 1500.0}, 90)
    assert grades(SCALE, beside)["a"] == grades(SCALE, alone)["a"] == 4.4
    assert SCALE.by_rating
    assert SCALE.decimals == 1


def classes(count: int) -> list[tuple[Field, Field]]:
    """The fields of classes of 30 after 10 openings, each with that of the true strengths."""
    house = ["random", "reference"]
    bots = [*map(str, range(30)), *house]
    population = Population(players=30, spread=250, house=(-500, 500))
    found = []
    for number in range(count):
        drawn = draw_class(population, number)
        ratings = fit(drawn.play(10).evidence())
        found.append((field_by_rating(bots, house, ratings), true_field(bots, house, drawn.elo)))
    return found


@pytest.mark.slow
def test_at_most_one_student_in_twenty_is_more_than_a_step_from_the_true_grade() -> None:
    far = [
        abs(given - grades(CURVE, truth)[bot]) > 1
        for field, truth in classes(80)
        for bot, given in grades(CURVE, field).items()
    ]
    assert len(far) == 2400
    assert np.mean(far) <= 0.05
