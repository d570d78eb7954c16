"""Ratings against other libraries, and their covariance against leaving opening pairs out.

The libraries import half of scipy, which takes a second: so only the tests that use them do.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arena.statistics.bradley_terry import ELO, Evidence, fit
from arena_lab.synthetic import Population, SyntheticResults, draw_class

NO_PRIOR = 1e-7
PRECISION = 0.1
"""Elo points."""

FIELDS = [
    Population(players=5, spread=200, draws=0.0),
    Population(players=8, spread=150, bias=200, draws=0.3),
    Population(players=11, spread=250, draws=0.1),
]


def played(population: Population, openings: int = 4) -> SyntheticResults:
    return draw_class(population, seed=3).play(openings)


def games_of(results: SyntheticResults) -> list[tuple[int, int, float]]:
    """(one, other, points of one) for each game."""
    points = results.points.transpose(1, 0, 2).reshape(len(results.one), -1)
    return [
        (int(one), int(other), float(game))
        for one, other, row in zip(results.one, results.other, points, strict=True)
        for game in row
    ]


def halves(games: list[tuple[int, int, float]]) -> list[tuple[int, int]]:
    """Return (winner, loser) twice for a win, and once each way for a draw."""
    both = {1.0: (True, True), 0.5: (True, False), 0.0: (False, False)}
    return [
        (one, other) if is_won else (other, one)
        for one, other, points in games
        for is_won in both[points]
    ]


@pytest.mark.parametrize("population", FIELDS)
def test_ratings_are_those_of_choix(population: Population) -> None:
    import choix

    results = played(population)
    theirs = choix.opt_pairwise(results.players, halves(games_of(results)), alpha=1e-9, tol=1e-9)
    elo = fit(results.evidence(), NO_PRIOR).elo
    assert elo - elo.mean() == pytest.approx(ELO * (theirs - theirs.mean()), abs=PRECISION)


@pytest.mark.parametrize("population", FIELDS)
def test_the_prior_is_a_game_drawn_with_one_in_the_middle(population: Population) -> None:
    import choix

    results = played(population, openings=1)
    middle = results.players
    drawn = [(player, middle, 0.5) for player in range(middle)]
    theirs = choix.opt_pairwise(middle + 1, halves(games_of(results) + drawn), 1e-9, tol=1e-9)
    elo = fit(results.evidence()).elo
    assert elo == pytest.approx(ELO * (theirs[:-1] - theirs[-1]), abs=PRECISION)


@pytest.mark.parametrize("population", FIELDS)
def test_ratings_are_those_of_evalica(population: Population) -> None:
    import evalica
    from evalica import Winner

    results = played(population)
    ends = {1.0: Winner.X, 0.5: Winner.Draw, 0.0: Winner.Y}
    one, other, points = zip(*games_of(results), strict=True)
    theirs = evalica.bradley_terry(
        one,
        other,
        [ends[each] for each in points],
        index=pd.Index(range(results.players)),
        tolerance=1e-12,
        limit=100_000,
    )
    logarithms = np.log(theirs.scores.sort_index().to_numpy())
    elo = fit(results.evidence(), NO_PRIOR).elo
    assert elo - elo.mean() == pytest.approx(ELO * (logarithms - logarithms.mean()), abs=PRECISION)


def test_the_covariance_is_that_of_leaving_out_one_opening_pair_after_another() -> None:
    openings = 12
    results = played(Population(players=6, spread=150, bias=200, draws=0.2), openings)
    whole = fit(results.evidence()).centred(0)
    pairings, places = np.divmod(np.arange(len(results.one) * openings), openings)
    without = np.array(
        [
            fit(results.evidence_of(np.delete(pairings, left), np.delete(places, left)))
            .centred(0)
            .elo
            for left in range(len(pairings))
        ]
    )
    jackknife = (without - whole.elo).T @ (without - whole.elo)
    errors = np.sqrt(np.diag(whole.covariance))
    assert errors == pytest.approx(np.sqrt(np.diag(jackknife)), rel=0.05)
    assert whole.covariance == pytest.approx(jackknife, abs=0.1 * errors.max() ** 2)


def test_games_that_count_for_one_side_only_have_its_sandwich() -> None:
    # 0 lost two games of three opening pairs by a fault; 1 meets 2
    evidence = Evidence.of(
        3,
        [0, 0, 0, 1, 1],
        [1, 1, 1, 2, 2],
        ([2, 2, 2, 2, 2], [1, 1, 2, 2, 2]),
        ([0, 1, 1, 2, 1], [1, 0, 1, 0, 1]),
    )
    ratings = fit(evidence)
    assert (np.linalg.eigvalsh(ratings.covariance) > 0).all()
    assert ratings.elo[1] > ratings.elo[0]
