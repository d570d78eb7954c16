"""Fields that the plain sandwich has no answer for: ratings are finite and intervals sensible."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from arena.statistics import (
    Evidence,
    Ratings,
    difference_errors,
    fit,
    intervals,
    standard_scores,
    superiority,
    surely_better,
)


def ratings_of(players: int, *pairs: tuple[int, int, float], times: int = 1) -> Ratings:
    """Ratings of opening pairs, each as (one, other, points of one in the two games)."""
    one, other, points = map(np.array, zip(*(pairs * times), strict=True))
    two = np.full(len(points), 2.0)
    return fit(Evidence.of(players, one, other, (two, two), (points, 2 - points)))


def width(ratings: Ratings, player: int = 0) -> float:
    low, high = intervals(ratings.centred(0))
    return float((high - low)[player])


@pytest.mark.parametrize("openings", [1, 3, 10, 100])
def test_one_of_two_wins_everything(openings: int) -> None:
    ratings = ratings_of(2, (0, 1, 2), times=openings)
    assert np.isfinite(ratings.elo).all()
    assert 300 < width(ratings) < 1000, "more openings bound it from below only"
    assert surely_better(ratings)[0, 1] == (openings > 1)
    assert not surely_better(ratings)[1, 0]


def test_more_wins_in_a_row_raise_a_rating() -> None:
    elo = [ratings_of(2, (0, 1, 2), times=openings).elo[0] for openings in (1, 3, 10, 100)]
    assert elo == sorted(elo)


def test_everybody_draws() -> None:
    pairs = [(one, other, 1.0) for one, other in combinations(range(5), 2)]
    ratings = ratings_of(5, *pairs, times=5)
    assert ratings.elo == pytest.approx(np.zeros(5))
    assert 10 < width(ratings) < 60, "a point more of 40 is 18 Elo points"
    assert not surely_better(ratings).any()
    assert superiority(ratings) == pytest.approx(np.full((5, 5), 0.5))


def test_the_better_one_wins_every_game() -> None:
    pairs = [(one, other, 2.0) for one, other in combinations(range(20), 2)]
    ratings = ratings_of(20, *pairs, times=10)
    assert (np.diff(ratings.elo) < 0).all()
    assert np.isfinite(ratings.covariance).all()
    assert surely_better(ratings)[0, 3:].all()


def test_two_groups_that_never_met_cannot_be_told_apart() -> None:
    ratings = ratings_of(4, (0, 1, 2), (0, 1, 1.5), (2, 3, 2), (2, 3, 1.5))
    assert ratings.elo[0] == pytest.approx(ratings.elo[2])
    errors = difference_errors(ratings)
    assert errors[0, 2] > 200
    assert not surely_better(ratings)[:2, 2:].any()


def test_a_single_game_tells_little() -> None:
    ratings = fit(Evidence.of(2, [0], [1], ([1], [1]), ([1], [0])))
    assert 0.6 < superiority(ratings)[0, 1] < 0.9
    assert not surely_better(ratings).any()


def test_without_a_game_nothing_is_known() -> None:
    ratings = fit(Evidence.none(3))
    assert ratings.elo == pytest.approx(np.zeros(3))
    assert width(ratings) > 800


def test_the_same_result_in_every_opening_is_not_certainty() -> None:
    # two bots that do not use chance: 0 wins one of the two games of each opening against 1
    level = [(0, 1, 1.0)] * 10 + [(0, 2, 1.5)] * 10 + [(1, 2, 1.5)] * 10
    ratings = ratings_of(3, *level)
    assert 5 < difference_errors(ratings)[0, 1] < 30, "a point more of 40 is 18 Elo points"
    assert surely_better(ratings)[0, 2]


def test_an_interval_is_around_its_rating_and_wider_for_a_higher_level() -> None:
    ratings = ratings_of(3, (0, 1, 1.5), (1, 2, 0.5), (0, 2, 2), times=4).centred(1500)
    low, high = intervals(ratings)
    lower, higher = intervals(ratings, 0.99)
    assert (low + high) / 2 == pytest.approx(ratings.elo)
    assert ((higher - lower) > (high - low)).all()


def test_a_likelihood_and_its_opposite_are_one() -> None:
    likelihood = superiority(ratings_of(3, (0, 1, 1.5), (1, 2, 0.5), (0, 2, 2), times=4))
    assert likelihood + likelihood.T == pytest.approx(np.ones((3, 3)))
    assert np.diag(likelihood) == pytest.approx(np.full(3, 0.5))


def test_without_a_doubt_a_score_is_infinite_and_between_equals_0() -> None:
    certain = Ratings(elo=np.array([0.0, 100.0, 100.0]), covariance=np.zeros((3, 3)))
    one, other = np.array([0, 1, 1]), np.array([1, 0, 2])
    assert standard_scores(certain, one, other).tolist() == [-np.inf, np.inf, 0]
    assert superiority(certain).tolist() == [[0.5, 0, 0], [1, 0.5, 0.5], [1, 0.5, 0.5]]
    assert surely_better(certain).sum() == 2
