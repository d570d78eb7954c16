"""Ratings and evidence against values worked by hand."""

import numpy as np
import pytest

from arena.statistics import ELO, Evidence, fit


def test_three_wins_in_four_games_are_the_logarithm_of_three() -> None:
    evidence = Evidence.of(2, [0, 0], [1, 1], ([2, 2], [2, 2]), ([1.5, 1.5], [0.5, 0.5]))
    elo = fit(evidence, prior=1e-6).elo
    assert elo[0] - elo[1] == pytest.approx(ELO * np.log(3), abs=0.01)


def test_evidence_of_parts_adds_up_to_that_of_the_whole() -> None:
    draw = np.random.default_rng(1)
    one, other = draw.integers(0, 6, (2, 300))
    games = draw.integers(0, 3, (2, 300))
    points = draw.integers(0, 5, (2, 300)) / 2
    halves = [slice(0, 120), slice(120, 300)]
    parts = [
        Evidence.of(6, one[h], other[h], (games[0][h], games[1][h]), (points[0][h], points[1][h]))
        for h in halves
    ]
    whole = fit(Evidence.of(6, one, other, (games[0], games[1]), (points[0], points[1])))
    merged = fit(parts[0] + parts[1] + Evidence.none(6))
    assert merged.elo == pytest.approx(whole.elo)
    assert merged.covariance == pytest.approx(whole.covariance)


def test_the_anchor_has_its_rating_and_no_doubt() -> None:
    ratings = fit(Evidence.of(3, [0, 1], [1, 2], ([2, 2], [2, 2]), ([1.5, 1], [0.5, 1])))
    anchored = ratings.anchored(1, 1500)
    assert anchored.elo[1] == 1500
    assert anchored.covariance[1] == pytest.approx(np.zeros(3))
    assert anchored.elo[0] - anchored.elo[2] == pytest.approx(ratings.elo[0] - ratings.elo[2])


def test_faults_that_count_for_the_loser_alone_push_nobody_out_of_the_scale() -> None:
    """The better of two often loses to the other by a fault, which is nobody's win."""
    elos = []
    for faults in (0, 2, 20):
        fair, apart = [2, 2, 2, 2], [0] * faults
        evidence = Evidence.of(
            3,
            [0, 0, 0, 1, *[0] * faults],
            [1, 1, 2, 2, *[1] * faults],
            ([*fair, *apart], [*fair, *[2] * faults]),
            ([0, 1, 1, 1, *apart], [2, 1, 1, 1, *apart]),
        )
        ratings = fit(evidence)
        assert np.abs(ratings.elo).max() < 1000
        assert np.sqrt(np.diag(ratings.covariance)).max() < 1000
        elos.append(ratings.elo)
    ahead = [elo[1] - elo[0] for elo in elos]
    assert ahead[0] > 0 and ahead[0] > ahead[1] > ahead[2]
    # the winner of those games gains no more by them than the third, who had no part in them
    assert elos[1][0] - elos[0][0] <= elos[1][2] - elos[0][2] + 1


def test_two_that_lose_to_each_other_by_faults_alone_have_a_rating() -> None:
    """Each of them loses 100 games to the other and 20 to a third, which are nobody's wins."""
    ratings = fit(
        Evidence.of(
            4,
            [0, 0, 0, 1, 2],
            [1, 2, 2, 2, 3],
            ([100, 20, 0, 20, 10], [100, 0, 0, 0, 10]),
            ([0, 0, 0, 0, 5], [0, 0, 0, 0, 5]),
        )
    )
    assert np.isfinite(ratings.covariance).all()
    assert ratings.elo[0] == pytest.approx(ratings.elo[1])
    assert -1500 < ratings.elo[0] < ratings.elo[2] - 300
    assert ratings.elo[2] == pytest.approx(ratings.elo[3], abs=30)
