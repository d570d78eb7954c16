"""Grades by other rules than the contest's, to compare them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rich.text import Text

from arena.common.errors import InputError
from arena.common.text import counted
from arena.ranking.grading import Grades, contest_grades
from arena.ranking.leaderboard import grade_columns
from arena.report.facts import Facts
from arena.scoring.grade_rules import GradeRule

FAR = 0.5  # grades that differ by more are counted


def regraded(
    facts: Facts, rule: GradeRule | None, beside: GradeRule | None
) -> tuple[Facts, list[Text]]:
    """Return facts with grades by `rule` and by `beside`, and lines that compare them.

    None for `rule` leaves the contest's. The columns of `beside` are `grade_seed`,
    `grade_seed_error` and so on. Raises InputError.
    """
    if beside is not None and beside is (rule or facts.contest.grade_rule):
        raise InputError(f"--beside {beside}: is the rule of the other column; name another")
    if rule is not None:
        facts = _graded_by(facts, rule)
        facts = replace(facts, board=facts.board.assign(**grade_columns(facts)))
    if beside is None:
        return facts, []
    other = _graded_by(facts, beside)
    columns = grade_columns(other)
    named = {name.replace("grade", f"grade_{beside}", 1): columns[name] for name in columns}
    facts = replace(facts, board=facts.board.assign(**named))
    return facts, list(_comparison(facts, other, beside))


def _graded_by(facts: Facts, rule: GradeRule) -> Facts:
    contest = replace(facts.contest, grades=replace(facts.contest.grades, rule=rule))
    facts = replace(facts, contest=contest)
    is_final = facts.settled.is_final
    return replace(facts, grades=contest_grades(facts, facts.settled) if is_final else Grades())


def _comparison(facts: Facts, other: Facts, beside: GradeRule) -> Iterator[Text]:
    if other.grades.remark:
        yield Text(f"{beside}: {other.grades.remark}", "yellow")
    grades, others = facts.grades.by_bot, other.grades.by_bot
    distances = [abs(grades[bot].value - others[bot].value) for bot in grades.keys() & others]
    if distances:
        far = sum(distance > FAR for distance in distances)
        yield Text(
            f"{far} of {counted(len(distances), 'grade')} differ from {beside} by more than half "
            f"a point, at most by {max(distances):.1f}"
        )
