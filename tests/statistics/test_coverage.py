"""95 % intervals hold the true strengths in 93 to 97 % of cases, in classes as they are."""

from __future__ import annotations

import numpy as np
import pytest

from arena.openings.pool import ALL
from arena.statistics.bradley_terry import intervals, surely_better
from arena_lab.synthetic import Population, draw_class
from support.fields import fitted

CLASSES = [
    # players, openings, shared ones, spread, first player's advantage, suits, draws, classes
    (5, 2, ALL, 250, 150, 0, 0.1, 300),
    (5, 20, ALL, 350, 100, 0, 0.0, 150),
    (10, 5, ALL, 250, 150, 0, 0.4, 150),
    (30, 10, ALL, 250, 150, 0, 0.1, 30),
    (60, 2, ALL, 100, 150, 0, 0.1, 15),
    (10, 10, 2, 250, 100, 85, 0.1, 100),
    (30, 5, 2, 250, 100, 85, 0.15, 40),
    (30, 5, 0, 250, 100, 85, 0.15, 40),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "openings", "shared", "spread", "bias", "suits", "draws", "classes"), CLASSES
)
def test_intervals_and_ranges_of_ranks_hold_the_truth(
    players: int,
    openings: int,
    shared: int,
    spread: float,
    bias: float,
    suits: float,
    draws: float,
    classes: int,
) -> None:
    held: list[float] = []
    ranked: list[float] = []
    population = Population(players=players, spread=spread, bias=bias, suits=suits, draws=draws)
    for seed in range(classes):
        drawn = draw_class(population, seed)
        ratings = fitted(drawn.play(openings, seed, shared)).centred(0)
        low, high = intervals(ratings)
        truth = drawn.elo - drawn.elo.mean()
        held.append(float(((low <= truth) & (truth <= high)).mean()))
        better = surely_better(ratings)
        rank = 1 + (truth[:, None] < truth[None, :]).sum(axis=1)
        best, worst = 1 + better.sum(axis=0), players - better.sum(axis=1)
        ranked.append(float(((best <= rank) & (rank <= worst)).mean()))
    assert 0.93 <= np.mean(held) <= 0.97
    assert np.mean(ranked) >= 0.95
