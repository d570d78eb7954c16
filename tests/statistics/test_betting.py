"""When it is sure who is better: errors in simulated matches, and capitals worked by hand."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest

from arena.statistics.betting import SCORES, capital, certainty, elo, interval
from arena.statistics.bradley_terry import LEVEL

RUNS, MOST = 1000, 200
DRAWS = 0.1  # share of games


def chances(difference: float, ahead: float) -> list[float]:
    """Return the chances of a pair's scores; `ahead` is what the first move is worth, in Elo."""
    pair = np.zeros(len(SCORES))
    sides = []
    for advantage in (ahead, -ahead):
        won = 1 / (1 + 10 ** (-(difference + advantage) / 400)) - DRAWS / 2
        sides.append(np.array([1 - won - DRAWS, DRAWS, won]).clip(0))
    for (one, first), (other, second) in product(enumerate(sides[0]), enumerate(sides[1])):
        pair[one + other] += first * second
    return list(pair / pair.sum())


def simulated(difference: float, ahead: float = 0.0) -> tuple[float, float, float]:
    """Return the shares of matches in which the better, and the worse, was named; mean games."""
    drawn = np.random.default_rng(1).choice(len(SCORES), (RUNS, MOST), p=chances(difference, ahead))
    counts = np.cumsum(np.eye(len(SCORES))[drawn], axis=1)
    is_sure = capital(counts) >= -log(1 - LEVEL)
    ended = np.where(is_sure.any(axis=1), is_sure.argmax(axis=1), MOST - 1)
    share = counts[np.arange(RUNS), ended] @ SCORES / (ended + 1)
    named = is_sure.any(axis=1)
    better, worse = (named & (share > 0.5)).mean(), (named & (share < 0.5)).mean()
    return float(better), float(worse), float(2 * (ended + 1).mean())


@pytest.mark.parametrize("ahead", [0.0, 300.0])
def test_of_equal_bots_one_is_seldom_named_though_one_looks_after_each_pair(ahead: float) -> None:
    one, other, _ = simulated(0, ahead)
    assert one + other < 0.05


@pytest.mark.parametrize(
    ("difference", "found", "games"), [(20, 0.06, 390), (50, 0.5, 310), (100, 0.99, 120)]
)
def test_the_better_bot_is_found_and_the_worse_one_never_named(
    difference: float, found: float, games: float
) -> None:
    better, worse, mean = simulated(difference)
    assert (better > found, worse < 0.01, mean < games) == (True, True, True)
    mirrored = simulated(-difference)
    assert mirrored[1] > found and mirrored[0] < 0.01


@pytest.mark.parametrize(
    ("mean", "chance"), [(0.5, [0.1, 0.2, 0.4, 0.2, 0.1]), (0.25, [0.5, 0.2, 0.1, 0.2, 0])]
)
def test_nobody_gains_on_average_if_the_mean_is_true(mean: float, chance: list[float]) -> None:
    total = 0.0
    for scores in product(range(len(SCORES)), repeat=3):
        counts = np.bincount(scores, minlength=len(SCORES))
        total += np.prod([chance[each] for each in scores]) * np.exp(capital(counts, mean))
    assert np.dot(chance, SCORES) == pytest.approx(mean)
    assert total == pytest.approx(1)


def test_nine_pairs_won_are_enough_and_even_ones_never() -> None:
    assert certainty([0, 0, 0, 0, 5]) < LEVEL < certainty([0, 0, 0, 0, 9])
    assert certainty([9, 0, 0, 0, 0]) == pytest.approx(certainty([0, 0, 0, 0, 9]))
    assert certainty([0, 0, 1000, 0, 0]) == certainty([0] * 5) == 0


def test_the_interval_holds_the_share_and_narrows() -> None:
    few, many = interval([1, 2, 4, 3, 2]), interval([50, 100, 200, 150, 100])
    share = np.dot([1, 2, 4, 3, 2], SCORES) / 12
    assert few[0] < many[0] < share < many[1] < few[1]
    assert interval([0] * 5) == (0.001, 0.999)
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
