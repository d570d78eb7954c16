"""Ratings against other methods and libraries, and their covariance against the jackknife's.

The libraries import half of scipy, which takes a second: so only the test that uses them does.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arena.statistics.bradley_terry import ELO, Floats, fit
from arena_lab.synthetic import Population, SyntheticResults, draw_class

FIELDS = [
    Population(players=5, spread=200, draws=0.0),
    Population(players=8, spread=150, bias=200, draws=0.3),
    Population(players=11, spread=250, draws=0.1),
]


def played(population: Population, openings: int) -> SyntheticResults:
    return draw_class(population, seed=3).play(openings)


def points_of(results: SyntheticResults) -> Floats:
    points = np.zeros((results.players, results.players))
    points[results.one, results.other] = results.points.sum(axis=(0, 2))
    points[results.other, results.one] = (1 - results.points).sum(axis=(0, 2))
    return points


def zermelo(points: Floats) -> Floats:
    """Return the most likely strengths in Elo points (Zermelo 1929)."""
    strengths = np.ones(len(points))
    for _ in range(2_000):
        met = (points + points.T) / np.add.outer(strengths, strengths)
        strengths = points.sum(axis=1) / met.sum(axis=1)
        strengths /= strengths.mean()
    return ELO * np.log(strengths)


@pytest.mark.parametrize("population", FIELDS)
def test_ratings_are_the_most_likely_strengths(population: Population) -> None:
    results = played(population, openings=4)
    theirs, elo = zermelo(points_of(results)), fit(results.evidence(), 1e-7).elo
    assert elo - elo.mean() == pytest.approx(theirs - theirs.mean(), abs=0.1)


@pytest.mark.slow
def test_ratings_are_those_of_other_libraries() -> None:
    import choix
    import evalica

    results = played(FIELDS[0], openings=4)
    one, other = (
        np.repeat(side, results.points[:, 0].size) for side in (results.one, results.other)
    )
    won = results.points.transpose(1, 0, 2).ravel() == 1  # no game of this field is drawn
    pairs = np.where(won[:, None], np.c_[one, other], np.c_[other, one])
    by_choix = choix.opt_pairwise(results.players, pairs.tolist(), alpha=1e-9, tol=1e-9)
    winners = [evalica.Winner.X if each else evalica.Winner.Y for each in won]
    index = pd.Index(range(results.players))
    scores = evalica.bradley_terry(
        one, other, winners, index=index, tolerance=1e-12, limit=100_000
    ).scores
    elo = fit(results.evidence(), 1e-7).elo
    for theirs in (by_choix, np.log(scores.sort_index().to_numpy())):
        assert elo - elo.mean() == pytest.approx(ELO * (theirs - theirs.mean()), abs=0.1)


@pytest.mark.slow
def test_held_ratings_are_those_that_choix_finds_for_anchors_tied_by_many_games() -> None:
    import choix

    results = played(FIELDS[2], openings=6)
    n, points = results.players, points_of(results)
    held = dict(enumerate(np.linspace(0, 700, n)))
    held = {i: held[i] for i in range(0, n, 4)}
    for i in held:
        for j in held:
            points[i, j] += 1e6 / (1 + 10 ** ((held[j] - held[i]) / 400)) if i != j else 0
    theirs = ELO * choix.ilsr_pairwise_dense(points, max_iter=1_000)
    found = fit(results.evidence(), 1e-7, held).elo
    assert found == pytest.approx(theirs - theirs[0] + held[0], abs=0.5)


@pytest.mark.parametrize("population", FIELDS)
def test_the_prior_is_a_game_drawn_with_one_in_the_middle(population: Population) -> None:
    results = played(population, openings=1)
    with_middle = np.pad(points_of(results), (0, 1), constant_values=0.5)
    with_middle[-1, -1] = 0
    theirs = zermelo(with_middle)
    assert fit(results.evidence()).elo == pytest.approx(theirs[:-1] - theirs[-1], abs=0.1)


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
