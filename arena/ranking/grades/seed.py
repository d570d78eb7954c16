"""The rule `seed`, that of the 8×8 course: places between two house players share the scale.

Ranked below `random`: 0. Above `reference`: 10. The m others, from the bottom i = 0 … m − 1:
⌈10 · (i + 1) / m⌉, where bots that share a rank share the best of their places.
"""

from __future__ import annotations

import numpy as np

from arena.intake import FLOOR, YARDSTICK
from arena.numbers import counted
from arena.ranking.grades.field import Field
from arena.ranking.grades.rule import TOP, Marks, Rule


def mark(field: Field) -> Marks:
    """Grade the bots of a field by their ranks."""
    ranks = field.ranks
    floor, yardstick = ranks[field.index(FLOOR)], ranks[field.index(YARDSTICK)]
    is_below, is_above = ranks > floor, ranks < yardstick
    middle = np.sort(ranks[field.students & ~is_below & ~is_above])
    no_better = len(middle) - np.searchsorted(middle, ranks)
    places = -(-TOP * no_better // max(len(middle), 1))
    values = np.where(is_below, 0, np.where(is_above, TOP, places))

    def why(bot: int) -> str:
        rank = f"rank {ranks[bot]}"
        if is_below[bot]:
            return f"{rank} is below {FLOOR}, which has rank {floor}"
        if is_above[bot]:
            return f"{rank} is above {YARDSTICK}, which has rank {yardstick}"
        m, count = len(middle), no_better[bot]
        return (
            f"{rank}; of the {counted(m, 'bot')} between {FLOOR} and {YARDSTICK} it is no worse "
            f"than {count}, itself included, and ⌈{TOP} · {count}/{m}⌉ = {values[bot]}"
        )

    return Marks(values, why)


SEED = Rule(needs=(FLOOR, YARDSTICK), mark=mark)
"""The rule."""
