"""Rounds of a simulated contest that chooses its games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.statistics.bradley_terry import Evidence, Ratings, fit
from arena.statistics.choosing import Counts, OpeningPairs, accurate_round, first_round, order_round
from arena_lab.synthetic import SyntheticResults


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    ratings: Ratings

    played: NDArray[np.int64]
    """Opening pairs that each two players have played, n × n and symmetric."""


# Returns the next opening pairs by the ratings, and by the pairs played and left.
Choose = Callable[[Ratings, Counts, Counts], OpeningPairs]


def play_until_settled(
    results: SyntheticResults, level: float, held: Mapping[int, float] | None = None
) -> Iterator[Round]:
    """Yield each round of a contest that ends when it is settled; see `play_in_rounds`."""

    def choose(ratings: Ratings, played: Counts, left: Counts) -> OpeningPairs:
        return order_round(ratings, played, left, level)

    return play_in_rounds(results, choose, held)


def play_pairs(
    results: SyntheticResults, pairs: int, students: int, held: Mapping[int, float]
) -> Iterator[Round]:
    """Yield each round of a contest of `pairs` opening pairs that take equally long.

    They make the grades of the first `students` players as accurate as possible. If the first round
    has more pairs, it is the only one. See `play_in_rounds`.
    """
    is_graded = np.arange(results.players) < students
    seconds = np.ones((results.players, results.players))

    def choose(ratings: Ratings, played: Counts, left: Counts) -> OpeningPairs:
        chosen, rest = [], max(0, pairs - int(np.triu(played).sum()))
        for one, other, count in accurate_round(ratings, played, left, is_graded, seconds):
            chosen.append((one, other, min(count, rest)))
            rest -= chosen[-1][2]
        return [pair for pair in chosen if pair[2]]

    return play_in_rounds(results, choose, held)


def play_in_rounds(
    results: SyntheticResults, choose: Choose, held: Mapping[int, float] | None
) -> Iterator[Round]:
    """Yield each round of a contest, until nothing is chosen.

    `results` hold all openings that may be played; for `held` see `fit`.
    """
    count = results.players
    pairing = np.zeros((count, count), dtype=np.int64)
    pairing[results.one, results.other] = np.arange(len(results.one))
    played = np.zeros_like(pairing)
    left = np.full_like(pairing, len(results.points))
    np.fill_diagonal(left, 0)
    evidence = Evidence.none(count)
    pairs = first_round(played, left)
    while pairs:
        units = [
            (pairing[one, other], opening)
            for one, other, number in pairs
            for opening in range(played[one, other], played[one, other] + number)
        ]
        for one, other, number in pairs:
            for pair in ((one, other), (other, one)):
                played[pair] += number
                left[pair] -= number
        evidence += results.evidence_of(*zip(*units, strict=True))
        ratings = fit(evidence, held=held)
        yield Round(ratings=ratings, played=played.copy())
        pairs = choose(ratings, played, left)
