"""GitHub Classroom: its list of grades, with the points of each student."""

from __future__ import annotations

from arena.intake.exports.classroom import NAME
from arena.quoting import harmless_cell
from arena.report.exports.gradebook import (
    Columns,
    CourseResults,
    Form,
    Gradebook,
    number,
    points_of,
    without_id,
)
from arena.report.exports.matching import Listed
from arena.report.exports.sheet import Sheet

HEADER = (
    *("assignment_name", "assignment_url", "starter_code_url", "github_username"),
    *("roster_identifier", "student_repository_name", "student_repository_url"),
    *("submission_timestamp", "points_awarded", "points_available"),
)
"""Columns of the list; that of an assignment for groups has `group_name` behind them."""


def _rows(results: CourseResults, form: Form, said: list[str]) -> list[tuple[str, ...]]:
    said += without_id(results, NAME)
    has_groups = any(graded.person.group for graded in results.people)
    rows: list[tuple[str, ...]] = [(*HEADER, *(["group_name"] if has_groups else []))]
    for graded in results.people:
        person = graded.person
        points = "" if graded.grade is None else number(graded.grade)
        username = person.id_in(NAME) if person.id else person.name
        names = map(harmless_cell, (username, person.email or person.name))
        where = (form.assignment or results.contest, "", "")
        repository = ("", "", person.submitted)
        group = [harmless_cell(person.group)] if has_groups else []
        rows.append((*where, *names, *repository, points, number(results.maximum), *group))
    return rows


def _columns(sheet: Sheet, form: Form, results: CourseResults) -> Columns:
    """Find out where things stand in the list, and write how many points there are.

    An assignment without tests of GitHub's own has 0 points. Raises InputError.
    """
    available = sheet.columns["points_available"]
    best = max(
        (points_of(sheet, row, available, "points_available") for row, _ in sheet.named()),
        default=0.0,
    )
    people = []
    for row, cells in sheet.named():
        user, identifier = cells["github_username"], cells["roster_identifier"]
        if not user and not identifier:
            continue
        people.append(
            Listed(
                number=row,
                name=identifier if " " in identifier else "",
                own=(user,),
                ids=(identifier,),
                emails=(identifier,),
                logins=(user,),
                handed_in=bool(cells["submission_timestamp"]),
            )
        )
        if not best:
            sheet.fill(row, available, number(results.maximum))
    grade, maximum = sheet.columns["points_awarded"], best or results.maximum
    return Columns(rows=people, grade=grade, locked={}, maximum=maximum)


GRADEBOOK = Gradebook(
    system=NAME,
    file="github.csv",
    needed=["github_username", "points_awarded", "points_available"],
    expected="the grades of GitHub Classroom (assignment_name, …, points_available)",
    columns=_columns,
    rows=_rows,
)
