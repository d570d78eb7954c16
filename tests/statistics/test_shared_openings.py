"""Openings that suit some players better than others, and what they do to ratings."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.statistics import ELO, Evidence, Ratings, fit, with_shared_openings
from arena.statistics.bradley_terry import suits

Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]

PLAYERS, OPENINGS = 20, 8


def played(random: np.random.Generator, strengths: NDArray[np.float64], suits: float) -> Rows:
    """A round robin in openings that suit each player by so many Elo points, at random.

    Each result stands there twice, for one player and for the other.
    """
    low, high = np.triu_indices(len(strengths), 1)
    one, other, opening, points = [], [], [], []
    for index in range(OPENINGS):
        elo = strengths + random.normal(0, suits, len(strengths))
        expected = 1 / (1 + np.exp((elo[high] - elo[low]) / ELO))
        for _ in range(2):
            won = (random.random(len(low)) < expected).astype(float)
            one += [low, high]
            other += [high, low]
            points += [won, 1 - won]
            opening += [np.full(2 * len(low), index)]
    return tuple(map(np.concatenate, (one, other, opening, points)))  # type: ignore[return-value]


def fitted(rows: Rows) -> Ratings:
    one, other, opening, points = rows
    evidence = Evidence.none(PLAYERS)
    for index in range(OPENINGS):
        for game in range(2):
            there = np.flatnonzero((opening == index) & (one < other))
            half = there[game * len(there) // 2 : (game + 1) * len(there) // 2]
            ones = np.ones(len(half))
            evidence += Evidence.of(
                PLAYERS, one[half], other[half], (ones, ones), (points[half], 1 - points[half])
            )
    return fit(evidence)


def spread_and_variance(suits: float, contests: int) -> tuple[float, float, float]:
    """Variance of ratings between contests, by `fit` alone, and with shared openings."""
    random = np.random.default_rng(3)
    strengths = np.linspace(-250, 250, PLAYERS)
    seen, alone, shared = [], [], []
    for _ in range(contests):
        rows = played(random, strengths, suits)
        plain = fitted(rows).centred(0)
        wider = with_shared_openings(fitted(rows), *rows).centred(0)
        assert (wider.elo == plain.elo).all()
        seen.append(plain.elo)
        alone.append(np.diag(plain.covariance).mean())
        shared.append(np.diag(wider.covariance).mean())
    return float(np.var(seen, axis=0, ddof=1).mean()), float(np.mean(alone)), float(np.mean(shared))


def test_openings_that_suit_players_are_seen_in_the_covariance() -> None:
    seen, alone, shared = spread_and_variance(suits=120, contests=60)
    assert alone < 0.5 * seen
    assert shared == pytest.approx(seen, rel=0.15)


def test_openings_that_suit_nobody_leave_it_as_it_is() -> None:
    seen, alone, shared = spread_and_variance(suits=0, contests=60)
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
    ratings = Ratings(elo=np.zeros(2), covariance=np.zeros((2, 2)))
    same = with_shared_openings(ratings, one, other, opening, np.concatenate([won, 1 - won]))
    assert same.covariance == pytest.approx(np.zeros((2, 2)), abs=1e-9)


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
    ratings = Ratings(elo=np.zeros(3), covariance=np.zeros((3, 3)))

    part = np.array([[1, 0, -1], [-1, 2, -1], [0, -1, 1]]) / 2  # A of each of the three openings
    products = np.array([[2, 0, -1], [0, 6, -3], [-1, -3, 2]]) / 4  # A Aᵀ
    # two games that end alike differ by ±1 from what is expected of them
    scores = np.array([[1, 0, -1], [-1, -2, 1], [1, 2, -1]]).astype(float)
    scores -= scores.mean(axis=0)
    residuals, units = 3 * 4, 3 * 3  # their squares, and pairings of each opening
    between = (scores**2).sum() * 3 / 2
    variance = (between - residuals * units / (units - 2)) / (3 * np.trace(products))
    inverse = np.linalg.pinv(3 * part)

    assert suits(ratings, *played) == pytest.approx(ELO * np.sqrt(variance))
    shared = with_shared_openings(ratings, *played)
    expected = variance * ELO**2 * inverse @ (3 * products) @ inverse.T
    assert shared.covariance == pytest.approx(expected)
    assert shared.covariance == pytest.approx(shared.covariance.T)
