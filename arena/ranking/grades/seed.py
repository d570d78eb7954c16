"""The rule `seed`, that of the 8×8 course: places between two house players share the scale.

Ranked below `random`: 0. Above `reference`: 10. The m others, from the bottom i = 0 … m − 1:
⌈10 · (i + 1) / m⌉, where bots that share a rank share the best of their places.
"""

from __future__ import annotations

from arena.intake import FLOOR, YARDSTICK
from arena.numbers import counted
from arena.ranking.grades.field import Field
from arena.ranking.grades.rule import TOP, Marks, Rule
from arena.ranking.grades.scale import scale


def mark(field: Field) -> Marks:
    """Grade the bots of a field by their ranks."""
    ranks = field.ranks
    place = scale(field, -ranks)
    values = place.grades(2 * place.highest)

    def why(bot: int) -> str:
        rank = f"rank {ranks[bot]}"
        if place.is_below[bot]:
            return f"{rank} is below {FLOOR}, which has rank {ranks[field.index(FLOOR)]}"
        if place.is_above[bot]:
            return f"{rank} is above {YARDSTICK}, which has rank {ranks[field.index(YARDSTICK)]}"
        m, count = place.places, place.highest[bot]
        return (
            f"{rank}; of the {counted(m, 'bot')} between {FLOOR} and {YARDSTICK} it is no worse "
            f"than {count}, itself included, and ⌈{TOP} · {count}/{m}⌉ = {values[bot]}"
        )

    return Marks(values, why)


SEED = Rule(needs=(FLOOR, YARDSTICK), mark=mark)
"""The rule."""
