"""Calibration: from the games of a synthetic class its population is found again."""

import numpy as np
import pytest

from arena_lab.calibration import calibrate
from arena_lab.synthetic import Population, SyntheticClass, draw_class

HOUSE = (-600.0, 300.0)


def calibrated(drawn: SyntheticClass, openings: int) -> Population:
    """Return the population that the games of a class seem to come from."""
    results = drawn.play(openings)
    opening = np.repeat(np.arange(openings), len(results.one))
    one, other = np.tile(results.one, openings), np.tile(results.other, openings)
    points = results.points.reshape(-1, 2)
    return calibrate(
        drawn.population.players,
        len(drawn.population.house),
        np.concatenate([one, other]),
        np.concatenate([other, one]),
        np.concatenate([opening, opening]),
        np.concatenate([points[:, 0], 1 - points[:, 1]]),
    )


@pytest.mark.parametrize(
    ("spread", "bias", "suits", "draws", "openings"),
    [
        (250, 100, 85, 0.15, 20),
        (100, 250, 0, 0.4, 20),
        (0, 0, 0, 0, 20),
        (250, 0, 150, 0.15, 10),
        (250, 0, 0, 0.1, 2),
    ],
)
def test_the_population_of_games_is_found_again(
    spread: float, bias: float, suits: float, draws: float, openings: int
) -> None:
    population = Population(
        players=40, spread=spread, bias=bias, suits=suits, draws=draws, house=HOUSE
    )
    drawn = draw_class(population, seed=2)
    found = calibrated(drawn, openings)
    assert found.players == 40
    assert found.spread == pytest.approx(drawn.elo[:40].std(ddof=1), abs=20)
    assert found.bias == pytest.approx(bias, rel=0.4, abs=15)
    assert found.suits == pytest.approx(suits, rel=0.2, abs=25)
    assert found.draws == pytest.approx(draws, abs=0.03)
    assert found.repeats == 0
    assert found.house == pytest.approx(np.array(HOUSE) - drawn.elo[:40].mean(), abs=160)


@pytest.mark.parametrize(("repeats", "openings"), [(0.15, 20), (0.3, 10), (1.0, 5)])
def test_repeats_are_found_again(repeats: float, openings: int) -> None:
    drawn = draw_class(Population(players=40, repeats=repeats), seed=2)
    assert calibrated(drawn, openings).repeats == pytest.approx(repeats, abs=0.1)


def test_few_games_and_a_class_that_only_draws_can_still_be_simulated() -> None:
    found = calibrate(2, 0, [0], [1], [0], [1.0])
    assert np.isfinite([found.spread, found.bias]).all() and found.draws == 0
    found = calibrate(3, 0, [0, 0, 1], [1, 2, 2], [0, 0, 0], [0.5, 0.5, 0.5])
    assert found.spread == pytest.approx(0, abs=1)
    assert 0.9 < found.draws < 1
    assert set(draw_class(found, seed=1).play(5).points.flat) <= {0, 0.5, 1}
