"""Grades: rules that give the bots of a field a grade and the reason for it."""

from arena.ranking.grades.curve import CURVE
from arena.ranking.grades.field import Field, field_by_rating, true_field
from arena.ranking.grades.grading import Grade, Grades, contest_grades, rule_of
from arena.ranking.grades.levels import levels
from arena.ranking.grades.rule import Marks, Rule
from arena.ranking.grades.seed import SEED
from arena.ranking.grades.steadiness import SURE, Steadiness, steadiness

__all__ = [
    "CURVE",
    "SEED",
    "SURE",
    "Field",
    "Grade",
    "Grades",
    "Marks",
    "Rule",
    "Steadiness",
    "contest_grades",
    "field_by_rating",
    "levels",
    "rule_of",
    "steadiness",
    "true_field",
]
