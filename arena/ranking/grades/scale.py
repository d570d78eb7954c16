"""The scale that bots share by their places between two house players, of two of the rules.

Below `random` is 0, above `reference` is the top. Of the m others, place p from the bottom gives
⌈TOP · p/m⌉. Where one of the two does not take part, that end of the scale is open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arena.intake import FLOOR, YARDSTICK
from arena.ranking.grades.field import Bools, Field, Ints
from arena.ranking.grades.rule import TOP


class Scale(NamedTuple):
    """Where the bots of a field stand on it; those of one level share their places."""

    is_below: Bools
    """Those below `random`, as a mask."""

    is_above: Bools
    """Those above `reference`, as a mask."""

    lowest: Ints
    """For each bot between them the lowest place of its level, from 1 at the bottom."""

    highest: Ints
    """The highest place of its level."""

    places: int
    """How many places there are, m."""

    def grades(self, twice: Ints) -> Ints:
        """Return the bots' grades, from twice the place that each of those between is given."""
        between = -(-TOP * twice // (2 * max(self.places, 1)))
        return np.where(self.is_below, 0, np.where(self.is_above, TOP, between))


def scale(field: Field, levels: Ints) -> Scale:
    """Return the scale of a field whose bots have these levels, of which a higher one is better."""
    nobody = np.zeros(len(levels), dtype=bool)
    is_below = levels < levels[field.index(FLOOR)] if FLOOR in field.house else nobody
    is_above = levels > levels[field.index(YARDSTICK)] if YARDSTICK in field.house else nobody
    between = np.sort(levels[field.students & ~is_below & ~is_above])
    return Scale(
        is_below=is_below,
        is_above=is_above,
        lowest=np.searchsorted(between, levels, side="left") + 1,
        highest=np.searchsorted(between, levels, side="right"),
        places=len(between),
    )
