"""Ratings and evidence against values worked by hand, and in fields without usual answers."""

from __future__ import annotations

import doctest
from itertools import combinations

import numpy as np
import pytest

from arena.statistics import bradley_terry
from arena.statistics.bradley_terry import (
    ELO,
    Evidence,
    Ratings,
    difference_errors,
    fit,
    information,
    intervals,
    moments,
    standard_scores,
    superiority,
    surely_better,
    with_shared_openings,
)
from arena_lab.synthetic import Population, draw_class
from support.fields import fitted


def test_three_wins_in_four_games_are_the_logarithm_of_three() -> None:
    evidence = Evidence.of(2, [0, 0], [1, 1], ([2, 2], [2, 2]), ([1.5, 1.5], [0.5, 0.5]))
    elo = fit(evidence, prior=1e-6).elo
    assert elo[0] - elo[1] == pytest.approx(ELO * np.log(3), abs=0.01)


def meeting(*pairs: tuple[int, int, float], players: int, times: int = 1) -> Evidence:
    """Opening pairs of two players, and the points of the first of them."""
    one, other, points = np.array(list(pairs) * times, dtype=np.float64).reshape(-1, 3).T
    games = np.full(len(points), 2.0)
    return Evidence.of(players, one, other, (games, games), (points, 2 - points))


def test_a_rating_against_a_held_player_is_worked_by_hand() -> None:
    found = fit(meeting((0, 1, 1.5), players=2, times=50), 1e-9, {1: 1000.0})
    assert found.elo.tolist() == pytest.approx([1000 + ELO * np.log(3), 1000], abs=0.01)
    assert found.covariance[1].tolist() == found.covariance[:, 1].tolist() == [0, 0]


def test_the_prior_of_a_held_scale_is_a_draw_against_one_who_drew_with_the_mean_of_the_held() -> (
    None
):
    held = {1: 0.0, 2: 1000.0}
    nobody = fit(Evidence.none(3), held=held)
    assert nobody.elo.tolist() == pytest.approx([500, 0, 1000])
    # two wins against 1000 and a draw against a player that drew with this one and with 500
    won = fit(meeting((0, 2, 2), players=3), held=held).elo[0]
    centre = 500 + (won - 500) / 2
    share = 1 / (1 + 10 ** ((np.array([1000, 1000, centre]) - won) / 400))
    assert share.sum() == pytest.approx(2.5)


def test_imagined_games_do_not_move_a_large_class_with_few_games_against_the_held() -> None:
    class_of = draw_class(Population(players=80, spread=100, house=(-900.0, -600.0)), seed=3)
    results = class_of.play(8)
    is_held = results.other >= 80
    few = is_held & (results.one < 12)  # few have met those that are held
    pairing, opening = np.nonzero(np.outer(~is_held | few, np.ones(8)))
    found = fit(results.evidence_of(pairing, opening), held={80: -900.0, 81: -600.0})
    errors = found.elo[:80] - class_of.elo[:80]
    common = float(np.sqrt(found.covariance[:80, :80].mean()))
    assert abs(errors.mean()) < 2.5 * common < 200


def test_ratings_held_at_their_estimates_change_no_other_rating() -> None:
    evidence = draw_class(Population(players=8, spread=200, draws=0.2), seed=5).play(6).evidence()
    free = fit(evidence, 1e-6)
    held = dict(enumerate(free.elo[:3] + 1200))
    found = fit(evidence, 1e-6, held)
    assert found.elo == pytest.approx(free.elo + 1200, abs=0.01)
    assert not found.covariance[:3].any() and not found.covariance[:, :3].any()
    assert (difference_errors(found) <= difference_errors(free) * 1.05)[3:, 3:].all()


def test_held_players_hold_the_others_also_where_games_count_for_one_side() -> None:
    one, other = np.repeat([0, 1, 0], 6), np.repeat([1, 2, 2], 6)
    games, points = np.full(18, 2.0), np.tile([2.0, 1.0, 1.0], 6)
    both = Evidence.of(3, one, other, (games, games), (points, 2 - points))
    lost = Evidence.of(3, [0] * 4, [2] * 4, ([1] * 4, [0] * 4), ([0] * 4, [0] * 4))
    held = {2: 700.0}
    before, after = fit(both, held=held), fit(both + lost, held=held)
    assert after.elo[2] == before.elo[2] == 700
    assert after.elo[1] == pytest.approx(before.elo[1])
    assert after.elo[0] < before.elo[0] - 50
    assert not after.covariance[2].any() and (np.diag(after.covariance)[:2] > 0).all()


@pytest.mark.parametrize(
    ("pairs", "bounds"),
    [
        ([(0, 2, 2), (0, 3, 2)] * 9, (1500, 4000)),  # all won
        ([(0, 2, 0), (0, 3, 0)] * 9, (-4000, 0)),  # all lost
        ([(0, 1, 2)] * 9, (750, 4000)),  # no game with the held
        ([(0, 2, 1)], (0, 750)),  # one opening pair
    ],
)
def test_held_scales_without_usual_answers_are_finite(
    pairs: list[tuple[int, int, float]], bounds: tuple[float, float]
) -> None:
    found = fit(meeting(*pairs, players=4), held={2: 0.0, 3: 1500.0})
    assert np.isfinite(found.elo).all() and np.isfinite(found.covariance).all()
    assert bounds[0] < found.elo[0] < bounds[1]
    assert found.elo[2:].tolist() == pytest.approx([0, 1500])


def test_openings_make_no_held_player_uncertain() -> None:
    results = draw_class(Population(players=6, spread=150, suits=150, draws=0.1), seed=2).play(8)
    held = {4: 0.0, 5: 300.0}
    plain, found = fit(results.evidence(), held=held), fitted(results, held)
    assert not found.covariance[4:].any()
    assert (np.diag(found.covariance)[:4] > np.diag(plain.covariance)[:4]).all()


def test_the_example_of_its_documentation_is_true() -> None:
    assert doctest.testmod(bradley_terry).attempted > 0
    assert doctest.testmod(bradley_terry).failed == 0


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


def spread_and_variance(suits: float) -> tuple[float, float, float]:
    """Variance of ratings between 60 contests, by `fit` alone, and with shared openings."""
    drawn = draw_class(Population(players=20, spread=150, bias=0, draws=0, suits=suits), seed=3)
    seen, alone, shared = [], [], []
    for seed in range(60):
        results = drawn.play(8, seed)
        plain, wider = fit(results.evidence()).centred(0), fitted(results).centred(0)
        assert (wider.elo == plain.elo).all()
        seen.append(plain.elo)
        alone.append(np.diag(plain.covariance).mean())
        shared.append(np.diag(wider.covariance).mean())
    return float(np.var(seen, axis=0, ddof=1).mean()), float(np.mean(alone)), float(np.mean(shared))


def test_openings_that_suit_players_are_seen_in_the_covariance() -> None:
    seen, alone, shared = spread_and_variance(suits=120)
    assert alone < 0.5 * seen
    assert shared == pytest.approx(seen, rel=0.15)


def test_openings_that_suit_nobody_leave_it_as_it_is() -> None:
    seen, alone, shared = spread_and_variance(suits=0)
    assert alone == pytest.approx(seen, rel=0.12)
    assert alone <= shared < 1.1 * alone


def test_one_opening_tells_nothing_and_no_game_neither() -> None:
    one, other = np.array([0, 1]), np.array([1, 0])
    ratings = Ratings(elo=np.zeros(2), covariance=np.eye(2))
    same = with_shared_openings(ratings, one, other, np.zeros(2, int), np.array([1.0, 0.0]))
    assert (same.covariance == np.eye(2)).all()
    none = np.zeros(0, int)
    assert with_shared_openings(ratings, none, none, none, np.zeros(0)) is ratings


def test_between_two_players_the_opening_pairs_tell_everything() -> None:
    # each wins both games of three openings, and there is nobody else to compare that with
    one, other = np.repeat([0, 1], 12), np.repeat([1, 0], 12)
    opening = np.tile(np.repeat(np.arange(6), 2), 2)
    won = np.repeat([1.0, 0.0, 1.0, 0.0, 1.0, 0.0], 2)
    ratings = Ratings(elo=np.zeros(2), covariance=np.eye(2))
    same = with_shared_openings(ratings, one, other, opening, np.concatenate([won, 1 - won]))
    assert same.covariance == pytest.approx(np.eye(2), abs=1e-9)


def test_where_games_count_for_one_side_the_covariance_is_that_of_its_formula() -> None:
    # games of 0 against 2, and of 1 against 0, count for the first of them alone; between equals
    # a row adds 1/4 to A, so that two games of an opening add 1/2
    rows = [(0, 2), (1, 0), (1, 2), (2, 1)]
    wins = {0: [1, 0, 1, 0], 1: [0, 0, 0, 1], 2: [1, 1, 1, 0]}
    games = [
        (one, other, opening, won)
        for opening, points in wins.items()
        for (one, other), won in zip(rows, points, strict=True)
        for _ in range(2)
    ]
    one, other, opening, won = (np.array(column) for column in zip(*games, strict=True))
    played = one, other, opening, won.astype(float)
    ratings = Ratings(elo=np.zeros(3), covariance=np.eye(3))

    part = np.array([[1, 0, -1], [-1, 2, -1], [0, -1, 1]]) / 2  # A of each of the three openings
    products = np.array([[2, 0, -1], [0, 6, -3], [-1, -3, 2]]) / 4  # A Aᵀ
    # two games that end alike differ by ±1 from what is expected of them
    scores = np.array([[1, 0, -1], [-1, -2, 1], [1, 2, -1]]).astype(float)
    scores -= scores.mean(axis=0)
    residuals, units = 3 * 4, 3 * 3  # their squares, and pairings of each opening
    between = (scores**2).sum() * 3 / 2
    variance = (between - residuals * units / (units - 2)) / (3 * np.trace(products))
    inverse = np.linalg.pinv(3 * part)

    assert moments(ratings, *played)[0] == pytest.approx(variance)
    shared = with_shared_openings(ratings, *played)
    expected = variance * ELO**2 * inverse @ (3 * products) @ inverse.T
    assert shared.covariance - ratings.covariance == pytest.approx(expected)
    assert shared.covariance == pytest.approx(shared.covariance.T)


def ratings_of(players: int, *pairs: tuple[int, int, float], times: int = 1) -> Ratings:
    """Ratings of opening pairs, each as (one, other, points of one in the two games)."""
    one, other, points = map(np.array, zip(*(pairs * times), strict=True))
    two = np.full(len(points), 2.0)
    return fit(Evidence.of(players, one, other, (two, two), (points, 2 - points)))


def width(ratings: Ratings, player: int = 0) -> float:
    low, high = intervals(ratings.centred(0))
    return float((high - low)[player])


def test_the_more_wins_in_a_row_the_higher_and_surer_a_rating() -> None:
    elos = []
    for openings in (1, 3, 10, 100):
        ratings = ratings_of(2, (0, 1, 2), times=openings)
        elos.append(float(ratings.elo[0]))
        assert 300 < width(ratings) < 1000, "more openings bound it from below only"
        assert surely_better(ratings)[0, 1] == (openings > 1)
        assert not surely_better(ratings)[1, 0]
    assert elos == sorted(elos) and np.isfinite(elos).all()


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


def test_a_single_game_tells_little_and_none_nothing() -> None:
    ratings = fit(Evidence.of(2, [0], [1], ([1], [1]), ([1], [0])))
    assert 0.6 < superiority(ratings)[0, 1] < 0.9
    assert not surely_better(ratings).any()
    nothing = fit(Evidence.none(3))
    assert nothing.elo == pytest.approx(np.zeros(3))
    assert width(nothing) > 800


def test_the_same_result_in_every_opening_is_not_certainty() -> None:
    # two bots that do not use chance: 0 wins one of the two games of each opening against 1
    level = [(0, 1, 1.0)] * 10 + [(0, 2, 1.5)] * 10 + [(1, 2, 1.5)] * 10
    ratings = ratings_of(3, *level)
    assert 5 < difference_errors(ratings)[0, 1] < 30, "a point more of 40 is 18 Elo points"
    assert surely_better(ratings)[0, 2]


def test_an_interval_is_around_its_rating_and_a_likelihood_and_its_opposite_are_one() -> None:
    ratings = ratings_of(3, (0, 1, 1.5), (1, 2, 0.5), (0, 2, 2), times=4).centred(1500)
    low, high = intervals(ratings)
    lower, higher = intervals(ratings, 0.99)
    assert (low + high) / 2 == pytest.approx(ratings.elo)
    assert ((higher - lower) > (high - low)).all()
    likelihood = superiority(ratings)
    assert likelihood + likelihood.T == pytest.approx(np.ones((3, 3)))
    assert np.diag(likelihood) == pytest.approx(np.full(3, 0.5))


def test_without_a_doubt_a_score_is_infinite_and_between_equals_0() -> None:
    certain = Ratings(elo=np.array([0.0, 100.0, 100.0]), covariance=np.zeros((3, 3)))
    one, other = np.array([0, 1, 1]), np.array([1, 0, 2])
    assert standard_scores(certain, one, other).tolist() == [-np.inf, np.inf, 0]
    assert superiority(certain).tolist() == [[0.5, 0, 0], [1, 0.5, 0.5], [1, 0.5, 0.5]]
    assert surely_better(certain).sum() == 2
    assert (difference_errors(certain) == 0).all()
