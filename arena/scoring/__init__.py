"""Grade rules and tie-breaks, computed from arrays."""

from arena.scoring.field import SHARES, Field, field_by_rating, ranks_of
from arena.scoring.grade_rules import (
    CURVE,
    LOWEST,
    SEED,
    TOP,
    GradeRule,
    Marks,
    Rule,
    Thresholds,
    levels,
    read_thresholds,
)
from arena.scoring.steadiness import SURE, Steadiness, steadiness
from arena.scoring.tie_breaks import Scores, TieBreakName

__all__ = [
    "CURVE",
    "LOWEST",
    "SEED",
    "SHARES",
    "SURE",
    "TOP",
    "Field",
    "GradeRule",
    "Marks",
    "Rule",
    "Scores",
    "Steadiness",
    "Thresholds",
    "TieBreakName",
    "field_by_rating",
    "levels",
    "ranks_of",
    "read_thresholds",
    "steadiness",
]
