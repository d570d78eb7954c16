"""Rounds of a simulated contest that ends when it is settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.statistics.bradley_terry import Evidence, Ratings, fit
from arena.statistics.choosing import first_round, order_round
from arena_lab.synthetic import SyntheticResults


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    ratings: Ratings

    played: NDArray[np.int64]
    """Opening pairs that each two players have played, n × n and symmetric."""


def play_until_settled(
    results: SyntheticResults, level: float, held: Mapping[int, float] | None = None
) -> Iterator[Round]:
    """Yield each round of a contest that ends when it is settled.

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
        pairs = order_round(ratings, played, left, level)
