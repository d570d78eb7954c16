"""Choosing opening pairs: small cases by hand, and simulated classes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.statistics.bradley_terry import ELO, Ratings, fit
from arena.statistics.choosing import (
    ACQUAINTANCES,
    accurate_round,
    first_round,
    order_round,
    shrunk_ratings,
    undecided,
    undecided_neighbours,
)
from arena_lab.simulated_rounds import play_until_settled
from arena_lab.synthetic import Population, draw_class

Counts = NDArray[np.int64]


def rated(*elo: float, error: float = 50.0) -> Ratings:
    """Independent ratings with this standard error."""
    return Ratings(elo=np.array(elo), covariance=error**2 * np.eye(len(elo)))


def all_pairs(players: int, number: int) -> Counts:
    """The same number for each two players, and 0 for one and itself."""
    return number * (1 - np.eye(players, dtype=np.int64))


def test_first_everybody_meets_a_few_and_all_are_connected() -> None:
    pairs = first_round(all_pairs(20, 0), all_pairs(20, 10))
    met = np.zeros((20, 20), dtype=np.int64)
    for one, other, number in pairs:
        assert one < other and number == 1
        met[one, other] = met[other, one] = 1
    assert (met.sum(axis=1) == 2 * ACQUAINTANCES).all()
    reached = np.linalg.matrix_power(met + np.eye(20, dtype=np.int64), 20)
    assert (reached > 0).all()


def test_in_a_small_field_everybody_meets_everybody_once() -> None:
    pairs = first_round(all_pairs(4, 0), all_pairs(4, 10))
    assert pairs == [(i, j, 1) for i in range(4) for j in range(i + 1, 4)]


def test_a_late_player_first_meets_others_and_nobody_else_does() -> None:
    played = np.zeros((20, 20), dtype=np.int64)
    for one, other, _ in first_round(all_pairs(19, 0), all_pairs(19, 10)):
        places = [place + (place >= 7) for place in (one, other)]
        played[tuple(places)] = played[tuple(reversed(places))] = 1
    pairs = first_round(played, all_pairs(20, 10) - played)
    assert {7} == set.intersection(*({one, other} for one, other, _ in pairs))
    assert len(pairs) == 2 * ACQUAINTANCES


def test_who_may_only_meet_some_first_meets_those() -> None:
    left = np.zeros((10, 10), dtype=np.int64)
    left[:2, 2:] = left[2:, :2] = 5
    assert {one for one, _, _ in first_round(0 * left, left)} == {0, 1}
    assert len(first_round(0 * left, left)) == 2 * 8


def test_only_those_are_paired_of_whom_it_is_open_who_is_better() -> None:
    pairs = order_round(rated(0, 10, 800), all_pairs(3, 1), all_pairs(3, 9), 0.95)
    assert pairs == [(0, 1, 8)]


def test_the_closer_two_are_the_more_often_they_play() -> None:
    ratings = rated(0, 10, 800, 900, error=100)
    pairs = order_round(ratings, all_pairs(4, 1), all_pairs(4, 100), 0.95)
    numbers = {(one, other): number for one, other, number in pairs}
    assert numbers.keys() == {(0, 1), (2, 3)}
    assert numbers[0, 1] > numbers[2, 3]


def test_those_who_are_known_well_play_less_than_those_who_are_not() -> None:
    ratings = Ratings(elo=np.array([0.0, 20, 400, 420]), covariance=np.diag([400, 400, 1e4, 1e4]))
    assert order_round(ratings, all_pairs(4, 20), all_pairs(4, 100), 0.95) == [(2, 3, 12)]


def test_nothing_is_played_beyond_what_is_left() -> None:
    left = all_pairs(3, 9)
    left[0, 1] = left[1, 0] = 2
    assert order_round(rated(0, 10, 800), all_pairs(3, 1), left, 0.95) == [(0, 1, 2)]
    left[0, 1] = left[1, 0] = 0
    assert order_round(rated(0, 10, 800), all_pairs(3, 1), left, 0.95) == []


def test_it_is_settled_when_each_is_better_than_the_next_with_the_likelihood_asked_for() -> None:
    ratings = rated(0, 100, 200, error=50)  # a difference has an error of 70.7: likelihood 0.92
    assert undecided_neighbours(ratings, 0.95) == [(2, 1), (1, 0)]
    assert order_round(ratings, all_pairs(3, 1), all_pairs(3, 9), 0.95)
    assert undecided_neighbours(ratings, 0.8) == []
    assert order_round(ratings, all_pairs(3, 1), all_pairs(3, 9), 0.8) == []


def test_an_accurate_round_begins_with_the_pair_that_shrinks_the_variances_most() -> None:
    draw = np.random.default_rng(1)
    half = draw.normal(size=(5, 5)) * 40
    ratings = Ratings(elo=draw.normal(0, 150, 5), covariance=half @ half.T + 400 * np.eye(5))
    is_graded = np.array([True, True, True, True, False])
    seconds = draw.uniform(1, 3, (5, 5))
    seconds += seconds.T
    drawn = shrunk_ratings(ratings)

    def gain_a_second(one: int, other: int) -> float:
        """By the definition: invert the information with and without two games more."""
        expected = 1 / (1 + 10 ** ((drawn.elo[other] - drawn.elo[one]) / 400))
        learnt = np.linalg.inv(drawn.covariance / ELO**2)
        difference = np.zeros(5)
        difference[one], difference[other] = 1, -1
        learnt += 2 * expected * (1 - expected) * np.outer(difference, difference)
        variances = [np.diag(np.linalg.inv(learnt)), np.diag(drawn.covariance) / ELO**2]
        after, before = (each[is_graded].sum() for each in variances)
        return float(before - after) / seconds[one, other]

    everybody = list(combinations(range(5), 2))
    best = max(everybody, key=lambda pair: gain_a_second(*pair))
    pairs = accurate_round(ratings, all_pairs(5, 1), all_pairs(5, 1), is_graded, seconds)
    assert {(one, other) for one, other, _ in pairs} < {*everybody}
    assert best in {(one, other) for one, other, _ in pairs}
    left = all_pairs(5, 1)
    left[best] = left[best[::-1]] = 0
    less = accurate_round(ratings, all_pairs(5, 1), left, is_graded, seconds)
    assert best not in {(one, other) for one, other, _ in less}
    assert not accurate_round(ratings, all_pairs(5, 1), 0 * left, is_graded, seconds)


def test_players_that_are_surely_equal_play_no_more() -> None:
    equals = rated(0, 0, 500, error=3)  # 0 ± 1.645 · √2 · 3 is within 10 Elo points
    assert not undecided(equals, 0.95).any()
    assert undecided(rated(0, 0, 500, error=5), 0.95).sum() == 2
    assert order_round(equals, all_pairs(3, 1), all_pairs(3, 9), 0.95) == []


def test_ratings_are_drawn_together_by_the_share_of_noise_in_their_spread() -> None:
    # variance of the ratings 10,000, of which 2,500 · (1 − 1/2) is noise: 8,750 of 11,250 is kept
    drawn = shrunk_ratings(rated(-100, 100, error=50))
    assert drawn.elo == pytest.approx([-100 * 8750 / 11250, 100 * 8750 / 11250])
    assert np.diag(drawn.covariance) == pytest.approx(2500 * 8750 / 11250)


def rank_error(elo: NDArray[np.float64], strengths: NDArray[np.float64]) -> float:
    """Ranks between a player's place by its rating and that by its strength, on the mean."""
    ranks, truth = (np.argsort(np.argsort(values)) for values in (elo, strengths))
    return float(np.abs(ranks - truth).mean())


@pytest.mark.slow
def test_half_the_games_of_a_round_robin_give_ranks_as_good_as_all_of_them() -> None:
    players, openings, half = 40, 10, 40 * 39 * 10 // 2
    robin, chosen = [], []
    for seed in range(3):
        drawn = draw_class(Population(players=players, spread=250), seed)
        results = drawn.play(40)
        robin.append(rank_error(fit(results.evidence(0, openings)).elo, drawn.elo))
        stages = play_until_settled(results, 0.95)
        by_half = [each for each in stages if np.triu(each.played).sum() * 2 <= half][-1]
        chosen.append(rank_error(by_half.ratings.elo, drawn.elo))
    assert np.mean(chosen) <= np.mean(robin)


@pytest.mark.slow
def test_neighbours_that_are_called_settled_are_in_order_as_often_as_is_said() -> None:
    wrong = settled = 0
    for seed in range(14):
        drawn = draw_class(Population(players=15, spread=250), seed)
        *_, last = play_until_settled(drawn.play(40), 0.9)
        order = np.argsort(-last.ratings.elo).tolist()
        still_open = set(undecided_neighbours(last.ratings, 0.9))
        pairs = {*pairwise(order)} - still_open
        settled += len(pairs)
        wrong += sum(drawn.elo[one] < drawn.elo[other] for one, other in pairs)
    assert settled > 100
    assert wrong / settled < 0.1


def test_with_openings_to_spare_a_field_far_apart_is_settled_by_few() -> None:
    drawn = draw_class(Population(players=6, spread=0), 1)
    drawn = replace(drawn, elo=np.array([0.0, 400, 800, 1200, 1600, 2000]))
    *_, last = play_until_settled(drawn.play(50), 0.95)
    assert undecided_neighbours(last.ratings, 0.95) == []
    assert last.played.max() < 20
