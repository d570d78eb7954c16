"""Ratings and evidence against values worked by hand."""

import numpy as np
import pytest

from arena.statistics import ELO, Evidence, difference_errors, fit, information


def test_three_wins_in_four_games_are_the_logarithm_of_three() -> None:
    evidence = Evidence.of(2, [0, 0], [1, 1], ([2, 2], [2, 2]), ([1.5, 1.5], [0.5, 0.5]))
    elo = fit(evidence, prior=1e-6).elo
    assert elo[0] - elo[1] == pytest.approx(ELO * np.log(3), abs=0.01)


PAIRS = [(2, 2, 2, 0), (2, 2, 1.5, 0.5), (2, 2, 0, 2), (2, 1, 1, 0), (1, 2, 1, 0), (2, 0, 0, 0)]
"""Opening pairs: games that count for one and for the other, points of one and of the other."""


def test_evidence_of_parts_adds_up_to_that_of_the_whole() -> None:
    draw = np.random.default_rng(1)
    one, other = draw.integers(0, 6, (2, 300))
    g, h, p, q = np.array(PAIRS)[draw.integers(0, len(PAIRS), 300)].T

    def evidence(part: slice) -> Evidence:
        return Evidence.of(6, one[part], other[part], (g[part], h[part]), (p[part], q[part]))

    whole = fit(evidence(slice(0, 300)))
    merged = fit(evidence(slice(0, 120)) + evidence(slice(120, 300)) + Evidence.none(6))
    assert merged.elo == pytest.approx(whole.elo)
    assert merged.covariance == pytest.approx(whole.covariance)


def test_losses_that_count_for_one_side_only_lower_it_alone() -> None:
    # 0 and 1 are level in 10 opening pairs; then 0 loses 10 more games, for itself alone
    level = Evidence.of(2, [0] * 10, [1] * 10, ([2] * 10, [2] * 10), ([1] * 10, [1] * 10))
    faults = Evidence.of(2, [0] * 5, [1] * 5, ([2] * 5, [0] * 5), ([0] * 5, [0] * 5))
    elo = fit(level + faults, prior=1e-6).elo
    assert elo[0] == pytest.approx(-ELO * np.log(2), abs=0.1), "10 points of 30 games"
    assert elo[1] == pytest.approx(0, abs=0.1)


def test_many_one_sided_losses_leave_all_others_as_they_were() -> None:
    draw = np.random.default_rng(2)
    one, other = np.triu_indices(8, 1)
    one, other = np.tile(one, 6), np.tile(other, 6)
    points = draw.integers(0, 5, len(one)) / 2
    two, none = np.full(len(one), 2), np.zeros(len(one))
    board = Evidence.of(8, one, other, (two, two), (points, 2 - points))
    is_zero = one == 0
    faults = Evidence.of(8, one, other, (two * is_zero, none), (none, none))
    before, after = fit(board), fit(board + faults)
    assert after.elo[1:] == pytest.approx(before.elo[1:])
    assert after.covariance[1:, 1:] == pytest.approx(before.covariance[1:, 1:])
    assert after.elo[0] < before.elo[0] - 50
    assert (np.linalg.eigvalsh(after.covariance) > 0).all()


def test_the_mean_that_is_known_has_no_doubt_and_differences_stay() -> None:
    ratings = fit(Evidence.of(3, [0, 1], [1, 2], ([2, 2], [2, 2]), ([1.5, 1], [0.5, 1])))
    weights = np.array([1.0, 3.0, 0.0])
    centred = ratings.centred(1500, weights)
    assert (centred.elo * weights).sum() / 4 == pytest.approx(1500)
    assert weights @ centred.covariance @ weights == pytest.approx(0)
    assert centred.elo[0] - centred.elo[2] == pytest.approx(ratings.elo[0] - ratings.elo[2])
    assert difference_errors(centred) == pytest.approx(difference_errors(ratings))
    assert centred.moved(-30).elo == pytest.approx(centred.elo - 30)


def test_a_game_between_equals_tells_one_and_a_lopsided_one_less() -> None:
    games = np.array([[0.0, 2, 5], [2, 0, 0], [5, 0, 0]])
    told = information(games, np.array([0.0, 0.0, 400.0]))
    assert told == pytest.approx([2 + 5 * 4 * 10 / 121, 2, 5 * 4 * 10 / 121])


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
