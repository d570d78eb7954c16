"""The rule `seed`, against the rule that the 8×8 course prints and tables worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fields import grades, ranked, reason

from arena.ranking.grades import SEED


def graded(ranks: dict[str, int]) -> dict[str, int]:
    return grades(SEED, ranked(ranks))


def in_order(*bots: str) -> dict[str, int]:
    return {bot: rank for rank, bot in enumerate(bots, 1)}


def test_grades_by_the_rule_of_seed_000() -> None:
    ranks = in_order("s1", "reference", "s2", "s3", "s4", "random", "s5")
    assert graded(ranks) == {"s1": 10, "s2": 10, "s3": 7, "s4": 4, "s5": 0}


def test_ten_between_get_one_to_ten_as_the_course_says() -> None:
    between = [f"s{place}" for place in range(1, 11)]
    ranks = in_order("reference", *reversed(between), "random")
    assert graded(ranks) == {bot: place for place, bot in enumerate(between, 1)}


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, [10]),
        (2, [5, 10]),
        (3, [4, 7, 10]),
        (4, [3, 5, 8, 10]),
        (11, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]),
        (20, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10]),
    ],
)
def test_those_between_share_the_scale(count: int, expected: list[int]) -> None:
    between = [f"s{place}" for place in range(count)]
    values = graded(in_order("reference", *reversed(between), "random"))
    assert [values[bot] for bot in between] == expected


def test_bots_that_share_a_rank_share_the_best_of_their_places() -> None:
    ranks = {"reference": 1, "a": 2, "b": 2, "c": 4, "random": 5}
    assert graded(ranks) == {"a": 10, "b": 10, "c": 4}


def test_level_with_random_is_not_below_it_and_level_with_the_reference_not_above() -> None:
    ranks = {"a": 1, "reference": 1, "b": 3, "random": 3}
    assert graded(ranks) == {"a": 10, "b": 5}


def test_if_all_are_level_all_have_the_best_grade() -> None:
    assert graded({"a": 1, "reference": 1, "b": 1, "random": 1}) == {"a": 10, "b": 10}


def test_other_house_players_take_no_place() -> None:
    ranks = in_order("reference", "a", "novice", "greedy", "b", "random")
    assert graded(ranks) == {"a": 10, "b": 5}


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
    assert graded(ranks | {"reference": reference, "random": random}) == expected


def test_the_reason_has_the_numbers() -> None:
    field = ranked(in_order("top", "reference", "a", "b", "c", "random", "low"))
    assert reason(SEED, field, "b") == (
        "rank 4; of the 3 bots between random and reference it is no worse than 2, itself "
        "included, and ⌈10 · 2/3⌉ = 7"
    )
    assert reason(SEED, field, "top") == "rank 1 is above reference, which has rank 2"
    alone = ranked(in_order("reference", "a", "random"))
    assert "; of the 1 bot between random" in reason(SEED, alone, "a")
    assert reason(SEED, field, "low") == "rank 7 is below random, which has rank 6"
