"""Synthetic classes: their games follow the model that ratings are fitted by."""

from dataclasses import replace

import numpy as np
import pytest

from arena.openings.pool import ALL
from arena_lab.synthetic import Population, SyntheticClass, draw_class, draw_shares, expected_scores

DIFFERENCES = np.linspace(-6, 6, 25)


@pytest.mark.parametrize("bias", [0.0, 0.7, -3.0])
def test_over_both_sides_the_bias_of_an_opening_cancels(bias: float) -> None:
    scores = expected_scores(DIFFERENCES, bias)
    assert scores.mean(axis=-1) == pytest.approx(1 / (1 + np.exp(-DIFFERENCES)))


@pytest.mark.parametrize("draws", [0.1, 0.5, 0.9])
def test_draws_follow_davidson(draws: float) -> None:
    expected = np.linspace(0.02, 0.98, 49)
    drawn = draw_shares(expected, draws)
    win, loss = expected - drawn / 2, 1 - expected - drawn / 2
    assert (win > 0).all()
    assert (loss > 0).all()
    assert drawn**2 / (win * loss) == pytest.approx(np.full(49, (2 * draws / (1 - draws)) ** 2))
    assert draw_shares(np.array([0.5]), draws) == pytest.approx([draws])
    assert (draw_shares(expected, 0.0) == 0).all()


def test_shares_of_points_and_draws_are_the_expected_ones() -> None:
    population = Population(players=2, spread=0, bias=300, draws=0.3)
    pair = SyntheticClass(population=population, seed=1, elo=np.array([100.0, -100.0]))
    points = pair.play(3_000).points
    assert points.mean() == pytest.approx(1 / (1 + 10 ** (-200 / 400)), abs=0.015)
    fair = SyntheticClass(
        population=Population(players=2, bias=0, draws=0.3), seed=1, elo=np.zeros(2)
    )
    assert (fair.play(3_000).points == 0.5).mean() == pytest.approx(0.3, abs=0.015)


def test_a_class_is_the_same_for_the_same_seed_and_begins_alike_with_more_openings() -> None:
    population = Population(players=8, repeats=0.3)
    one, again, other = (draw_class(population, seed) for seed in (1, 1, 2))
    assert (one.elo == again.elo).all() and (one.elo != other.elo).all()
    assert (one.play(7).points[:3] == again.play(3).points).all()
    assert (one.play(3, seed=1).points != one.play(3, seed=2).points).any()


def test_single_opening_pairs_add_up_to_the_round_robin() -> None:
    results = draw_class(Population(players=6), seed=1).play(5)
    pairings, openings = np.meshgrid(np.arange(15), np.arange(5))
    single = results.evidence_of(pairings.ravel(), openings.ravel())
    parts = results.evidence(0, 2) + results.evidence(2)
    for whole in (single, parts):
        assert (whole.points == results.evidence().points).all()
        assert (whole.points_both == results.evidence().points_both).all()
    assert results.evidence().games.sum() == 2 * 15 * 5 * 2


def test_repeats_copy_the_first_opening_of_their_pairing() -> None:
    points = draw_class(Population(players=10, repeats=1), seed=1).play(4).points
    assert (points == points[0]).all()


def test_house_players_come_last_with_the_strength_they_were_given() -> None:
    some = draw_class(Population(players=5, house=(-700.0, 400.0)), seed=1)
    assert list(some.elo[5:]) == [-700, 400]
    assert some.play(1).players == 7


def test_openings_that_suit_players_differently_leave_the_mean_over_openings() -> None:
    population = Population(players=2, bias=0, draws=0, suits=150)
    pair = SyntheticClass(population=population, seed=1, elo=np.array([100.0, -100.0]))
    points = pair.play(3_000).points.mean(axis=2)
    assert points.mean() == pytest.approx(1 / (1 + 10 ** (-200 / 400)), abs=0.015)
    fair = replace(pair, population=replace(population, suits=0))
    assert points.var() > 1.1 * fair.play(3_000).points.mean(axis=2).var()
    assert (pair.play(5).points[:2] == pair.play(2).points).all()


def test_pairings_share_as_many_openings_as_in_a_contest_and_the_first_stay() -> None:
    drawn = draw_class(Population(players=8, suits=85), seed=1)
    own = drawn.play(9, 1, shared=2)
    shared = [place for place in range(9) if len(set(own.opening[place].tolist())) == 1]
    assert shared == [0, 7]
    fewer = drawn.play(5, 1, shared=2)
    assert (own.opening[:5] == fewer.opening).all() and (own.points[:5] == fewer.points).all()
    assert (drawn.play(5).opening == np.arange(5)[:, None]).all()


def test_openings_of_its_own_make_the_scores_of_a_player_steadier() -> None:
    drawn = draw_class(Population(players=20, spread=0, bias=0, draws=0, suits=150), seed=1)

    def spread(shared: int) -> float:
        plays = [drawn.play(5, seed, shared).evidence().points.sum(axis=1) for seed in range(40)]
        return float(np.var(plays, axis=0).mean())

    assert spread(2) < 0.6 * spread(ALL)
