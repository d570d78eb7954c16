"""The rule `curve`: by rating, with no boundary between neighbours that cannot be told apart.

Bots are tied with the next by rating unless one is better with the likelihood DECIDED at least.
The scale is that of the rule `seed`, but all bots of a chain of ties have the middle of their
places. A bot that is tied with `random` is not below it, and one that is tied with `reference` is
not above it; where these do not take part, all share the scale.

DECIDED is a compromise, found by simulation: the higher it is, the longer the chains, and the
farther their ends are from the middle. Of 200 classes of 30 with 10 openings, as `arena simulate`
draws them, 3 % of the grades are more than one point from that of the true strength; at 0.8 it is
6 % and at 0.9 it is 21 %; with random 300 below and reference 300 above the mean, 8 %, 12 % and
30 %, where it is 5 % by `seed`. To give the best place of a chain in place of the middle is
worse by far.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from arena.intake import FLOOR, YARDSTICK
from arena.ranking.grades.field import Field, Ints
from arena.ranking.grades.rule import TOP, Marks, Rule

DECIDED = 0.75
"""Likelihood of being better from which two neighbours are told apart."""


def mark(field: Field) -> Marks:
    """Grade the bots of a field by their ratings."""
    chains = _chains(field)
    floor = chains[field.index(FLOOR)] if FLOOR in field.house else chains.min()
    yardstick = chains[field.index(YARDSTICK)] if YARDSTICK in field.house else chains.max()
    is_below, is_above = chains < floor, chains > yardstick
    middle = np.sort(chains[field.students & ~is_below & ~is_above])
    lowest = np.searchsorted(middle, chains, side="left") + 1
    highest = np.searchsorted(middle, chains, side="right")
    m = max(len(middle), 1)
    places = -(-TOP * (lowest + highest) // (2 * m))
    values = np.where(is_below, 0, np.where(is_above, TOP, places))

    def why(bot: int) -> str:
        rating = f"rating {field.ratings.elo[bot]:.0f}"
        if is_below[bot]:
            return f"{rating} is below {FLOOR} and everybody that cannot be told apart from it"
        if is_above[bot]:
            return f"{rating} is above {YARDSTICK} and everybody that cannot be told apart from it"
        low, high = lowest[bot], highest[bot]
        if low == high:
            return (
                f"{rating} is place {low} of {m} from the bottom, told apart from the next, and "
                f"⌈{TOP} · {low}/{m}⌉ = {values[bot]}"
            )
        return (
            f"{rating} is among places {low} to {high} of {m} from the bottom, where each is "
            f"better than the next with a likelihood under {DECIDED * 100:g} %; their middle gives "
            f"⌈{TOP} · {(low + high) / 2:g}/{m}⌉ = {values[bot]}"
        )

    return Marks(values, why)


def _chains(field: Field) -> Ints:
    """Return the number of each bot's chain, from 0 for the lowest; other house players have 0."""
    takes_part = field.students | np.isin(field.bots, [FLOOR, YARDSTICK])
    elo, covariance = field.ratings.elo, field.ratings.covariance
    order = np.flatnonzero(takes_part)
    order = order[np.lexsort((field.groups[order], elo[order]))]
    low, high = order[:-1], order[1:]
    variances = covariance[low, low] + covariance[high, high] - 2 * covariance[low, high]
    needed = NormalDist().inv_cdf(DECIDED) * np.sqrt(variances.clip(0))
    differ = (field.groups[low] != field.groups[high]) & (elo[high] - elo[low] > 0)
    is_decided = differ & (elo[high] - elo[low] >= needed)
    chains = np.zeros(len(elo), dtype=np.int64)
    chains[order[1:]] = np.cumsum(is_decided)
    return chains


CURVE = Rule(needs=(), mark=mark)
"""The rule."""
