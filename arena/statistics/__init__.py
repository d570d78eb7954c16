"""Statistics of games that are played in pairs: evidence, ratings, and how sure they are.

Arrays in, arrays out: players are indices from 0, and nothing here knows bots, games or contests.
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
