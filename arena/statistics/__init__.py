"""Statistics of paired games: evidence, ratings, certainty.

Players are indices from 0; this room knows no bots, games or contests.
"""

from arena.statistics.bradley_terry import (
    ELO,
    PRIOR,
    Evidence,
    Ratings,
    fit,
    information,
    with_shared_openings,
)
from arena.statistics.certainty import (
    LEVEL,
    difference_errors,
    intervals,
    standard_scores,
    superiority,
    surely_better,
)

__all__ = [
    "ELO",
    "LEVEL",
    "PRIOR",
    "Evidence",
    "Ratings",
    "difference_errors",
    "fit",
    "information",
    "intervals",
    "standard_scores",
    "superiority",
    "surely_better",
    "with_shared_openings",
]
