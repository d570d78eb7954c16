"""Surprising results and places, against values worked by hand and in simulated classes."""

from __future__ import annotations

import numpy as np
import pytest

from arena.statistics.bradley_terry import ELO, Floats, fit
from arena.statistics.surprises import (
    LEAST_USUAL,
    Mask,
    error_of_mean,
    pairing_scores,
    place_scores,
    surprising,
)
from arena_lab.synthetic import Population, SyntheticResults, draw_class

HOUSE = (-1200.0, -900.0, -500.0, -100.0, 300.0, 500.0)


@pytest.mark.parametrize(
    ("values", "quantile"), [(3, 4.303), (4, 3.182), (5, 2.776), (10, 2.262), (61, 2.0)]
)
def test_the_error_of_a_mean_is_students(values: int, quantile: float) -> None:
    drawn = np.random.default_rng(values).normal(size=values)
    exact = quantile * drawn.std(ddof=1) / np.sqrt(values)
    assert exact * 0.999 < error_of_mean(drawn) < exact * 1.05


def test_one_value_tells_nothing_about_its_error() -> None:
    assert error_of_mean(np.array([0.3])) == error_of_mean(np.array([])) == float("inf")


def test_surprising_is_what_chance_makes_in_one_of_twenty_contests() -> None:
    # two-sided tails 0.000318, 0.000668: beyond 0.05 / 200 and within 2 · 0.05 / 100
    scores = np.concatenate([[3.6, -3.4], np.zeros(98)])
    assert surprising(scores, 0.05).tolist()[:3] == [True, True, False]
    assert not surprising(np.eye(1, 200)[0] * 3.6, 0.05).any()
    assert not surprising(np.array([3.2]), 0.05).any()
    assert not surprising(np.array([]), 0.05).any()


def test_a_pairings_score_is_the_root_of_its_deviance() -> None:
    games = np.zeros((4, 4))
    games[0, 1] = games[1, 0] = games[2, 3] = games[3, 2] = 10
    points = games / 2
    points[0, 1], points[1, 0] = 8.25, 1.75
    found = pairing_scores(games, points, np.full((4, 4), 0.5), np.zeros(4, np.bool_))
    # 8 of 10: 0.8 ln 1.6 + 0.2 ln 0.4 = 0.1927; the other pairing is exactly as expected
    assert found[0, 1] == pytest.approx(np.sqrt(2 * 10 * 0.1927 / LEAST_USUAL), abs=0.002)
    assert found[2, 3] == 0


def scores_of(played: SyntheticResults, held: dict[int, float]) -> tuple[Floats, Mask]:
    """Return the scores of all pairings, and which surprise."""
    evidence = played.evidence()
    ratings = fit(evidence, held=held)
    expected = 1 / (1 + np.exp((ratings.elo[None, :] - ratings.elo[:, None]) / ELO))
    games = evidence.points + evidence.points.T
    found = pairing_scores(games, evidence.points, expected, ratings.are_free)
    scores = found[np.triu(games > 0, 1)]  # in the order of the pairings
    return scores, surprising(scores, 0.05)


@pytest.mark.parametrize(
    ("population", "openings", "shared"),
    [
        (Population(players=30, house=HOUSE, suits=85), 5, 1),
        (Population(players=20, spread=600, draws=0), 5, 100_000),
        (Population(players=20, bias=900, spread=100), 10, 2),
        (Population(players=5), 20, 2),
    ],
)
def test_nothing_surprises_where_the_ratings_explain_all(
    population: Population, openings: int, shared: int
) -> None:
    held = dict(enumerate(population.house, population.players))
    named = sum(
        scores_of(draw_class(population, seed).play(openings, seed, shared), held)[1].any()
        for seed in range(40)
    )
    assert named <= 4  # 5 % are 2; more than 4 have a chance of 5 %


def test_a_bot_that_plays_far_better_against_one_other_is_named() -> None:
    """It is 200 Elo stronger there than its rating says."""
    found = []
    for seed in range(10):
        drawn = draw_class(Population(players=30), seed)
        played = drawn.play(60, seed, 2)
        strengths = (drawn.elo[played.one] - drawn.elo[played.other]) / ELO
        odd = int(np.abs(strengths).argmin())
        share = 1 / (1 + np.exp(-strengths[odd] - 200 / ELO))
        chance = np.random.default_rng(seed).random((60, 2))
        played.points[:, odd] = chance < share
        scores, are_named = scores_of(played, {})
        assert scores[odd] > 0
        found.append((are_named[odd], are_named.sum() - are_named[odd]))
    named, others = np.array(found).sum(axis=0)
    assert named >= 9
    assert others <= 2


def test_the_test_of_places_is_mantels_for_a_table_of_four() -> None:
    values = np.repeat([1.0, 0.0, 1.0, 0.0], [15, 5, 5, 15])
    place = np.repeat([0, 1], 20)
    zeros, ones = np.zeros(40, np.int64), np.ones(40)
    scores, chance = place_scores(zeros, place, zeros, values, ones)
    # Pearson's chi-square is 10, Mantel's 10 · 39 / 40
    assert (scores**2).ravel().tolist() == pytest.approx([9.75, 9.75])
    assert scores[0, 0] > 0 > scores[0, 1]
    assert chance == pytest.approx(0.0018, rel=0.1)
    # two strata with one place each compare nothing
    assert place_scores(zeros, place, place, values, ones)[1] == 1
    assert place_scores(zeros, place, zeros, ones, ones)[1] > 0.9


def test_chance_is_spread_evenly_if_places_are_alike() -> None:
    draw = np.random.default_rng(1)
    chances, bots, openings, places = [], 12, 20, 3
    for _ in range(300):
        one, other = np.triu_indices(bots, 1)
        group = np.concatenate([np.tile(side, openings) for side in (one, other)])
        opening = np.tile(np.repeat(np.arange(openings), len(one)), 2)
        place = np.tile(draw.integers(0, places, openings * len(one)), 2)
        rest = draw.choice([-1, 0, 1], openings * len(one))
        values = np.concatenate([rest, -rest]).astype(np.float64)
        variances = np.full(len(values), 0.5)
        chances.append(place_scores(group, place, group * openings + opening, values, variances)[1])
    assert np.mean(np.array(chances) < 0.1) == pytest.approx(0.1, abs=0.05)
    assert np.mean(chances) == pytest.approx(0.5, abs=0.06)
