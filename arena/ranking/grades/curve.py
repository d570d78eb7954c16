"""The rule `curve`: by rating, with ties where ratings are too close to tell.

Bots are tied with the next by rating unless one is better with the likelihood DECIDED at least.
Of a long chain of such ties the last may be surely better than the first: then it is cut where its
neighbours differ most, until no group has two ends of which one is surely better (a 95 % interval
of the difference). So nobody is tied with a bot that is surely better or worse, and a boundary
between neighbours that are not told apart is drawn only where there would be such a tie without.

The scale is that of the rule `seed`, but all bots of a group have the middle of their places. A bot
that is tied with `random` is not below it, and one that is tied with `reference` is not above it;
where these do not take part, all share the scale.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import NormalDist

import numpy as np

from arena.intake import FLOOR, YARDSTICK
from arena.ranking.grades.field import Field, Ints
from arena.ranking.grades.rule import TOP, Marks, Rule
from arena.ranking.grades.scale import scale
from arena.ranking.ratings import whole
from arena.statistics import LEVEL, standard_scores

DECIDED = 0.95
"""Likelihood of being better from which two neighbours are told apart."""


def mark(field: Field) -> Marks:
    """Grade the bots of a field by their ratings."""
    place = scale(field, _groups(field))
    values = place.grades(place.lowest + place.highest)

    def why(bot: int) -> str:
        rating = f"rating {whole(float(field.ratings.elo[bot]))}"
        if place.is_below[bot]:
            return f"{rating} is below {FLOOR} and everybody that cannot be told apart from it"
        if place.is_above[bot]:
            return f"{rating} is above {YARDSTICK} and everybody that cannot be told apart from it"
        low, high, m = place.lowest[bot], place.highest[bot], place.places
        if low == high:
            return (
                f"{rating} is place {low} of {m} from the bottom, tied with nobody, and "
                f"⌈{TOP} · {low}/{m}⌉ = {values[bot]}"
            )
        return (
            f"{rating} is tied with those at places {low} to {high} of {m} from the bottom, as the "
            "highest of them is not surely better than the lowest; their middle gives "
            f"⌈{TOP} · {(low + high) / 2:g}/{m}⌉ = {values[bot]}"
        )

    return Marks(values, why)


CURVE = Rule(needs=(), mark=mark)
"""The rule."""


def _groups(field: Field) -> Ints:
    """Return the number of each bot's group, from 0 for the lowest; other house players have 0."""
    takes_part = field.students | field.mask((FLOOR, YARDSTICK))
    ratings, elo = field.ratings, field.ratings.elo
    order = np.flatnonzero(takes_part)
    order = order[np.lexsort((field.groups[order], elo[order]))]
    steps = standard_scores(ratings, order[1:], order[:-1])
    is_boundary = steps >= NormalDist().inv_cdf(DECIDED)
    surely = NormalDist().inv_cdf((1 + LEVEL) / 2)
    ends = [0, *(np.flatnonzero(is_boundary) + 1).tolist(), len(order)]
    to_cut = list(pairwise(ends))
    while to_cut:
        start, stop = to_cut.pop()
        if stop - start > 1 and standard_scores(ratings, order[stop - 1], order[start]) > surely:
            cut = start + 1 + int(steps[start : stop - 1].argmax())
            is_boundary[cut - 1] = True
            to_cut += [(start, cut), (cut, stop)]
    groups = np.zeros(len(elo), dtype=np.int64)
    groups[order[1:]] = np.cumsum(is_boundary)
    return groups
