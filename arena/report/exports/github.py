"""GitHub Classroom: its list of grades, with the points of each student."""

from __future__ import annotations

from arena.intake.exports.classroom import NAME
from arena.quoting import harmless_cell
from arena.report.exports.gradebook import (
    Columns,
    Form,
    about_people,
    filled,
    number,
    points_of,
    require_columns,
    without_id,
)
from arena.report.exports.matching import Listed
from arena.report.exports.record import CourseResults, Made
from arena.report.exports.sheet import Sheet, quoted

HEADER = (
    *("assignment_name", "assignment_url", "starter_code_url", "github_username"),
    *("roster_identifier", "student_repository_name", "student_repository_url"),
    *("submission_timestamp", "points_awarded", "points_available"),
)
"""Columns of the list; that of an assignment for groups has `group_name` behind them."""


def make(results: CourseResults, form: Form) -> Made:
    """Write GitHub Classroom's list of grades. Raises InputError for a sheet that is none."""
    said = list(about_people(results))
    if form.sheet is not None:
        said += filled(results, form, _columns(form.sheet, results.maximum))
        return Made({"github.csv": form.sheet.to_bytes()}, said)
    said += without_id(results, NAME)
    has_groups = any(graded.person.group for graded in results.people)
    rows = [(*HEADER, *(["group_name"] if has_groups else []))]
    for graded in results.people:
        person = graded.person
        points = "" if graded.grade is None else number(graded.grade)
        username = person.id_in(NAME) if person.id else person.name
        names = map(harmless_cell, (username, person.email or person.name))
        where = (form.assignment or results.contest, "", "")
        repository = ("", "", person.submitted)
        group = [harmless_cell(person.group)] if has_groups else []
        rows.append((*where, *names, *repository, points, number(results.maximum), *group))
    text = "".join(",".join(map(quoted, row)) + "\n" for row in rows)
    return Made({"github.csv": text.encode()}, said)


def _columns(sheet: Sheet, maximum: float) -> Columns:
    """Find out where things stand in the list, and write how many points there are.

    An assignment without tests of GitHub's own has 0 points. Raises InputError.
    """
    names = require_columns(
        sheet,
        ["github_username", "points_awarded", "points_available"],
        "the grades of GitHub Classroom (assignment_name, …, points_available)",
    )
    people = []
    available, handed = names["points_available"], names.get("submission_timestamp")
    best = max(
        (points_of(sheet, row, available, "points_available") for row in range(1, len(sheet))),
        default=0.0,
    )
    for row in range(1, len(sheet)):
        user = sheet.cell(row, names["github_username"]).strip()
        column = names.get("roster_identifier")
        identifier = "" if column is None else sheet.cell(row, column).strip()
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
                handed_in=handed is not None and bool(sheet.cell(row, handed).strip()),
            )
        )
        if not best:
            sheet.fill(row, available, number(maximum))
    return Columns(
        system=NAME,
        rows=people,
        grade=names["points_awarded"],
        locked={},
        maximum=best or maximum,
    )
