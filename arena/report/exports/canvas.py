"""Canvas: its gradebook, with the grades in one column.

Canvas matches the rows of a gradebook that is imported by ID. Without its own file one is made that
has the same columns; an assignment that Canvas does not know is then created on import.
"""

from __future__ import annotations

import re

from arena.errors import InputError
from arena.intake.exports.canvas import NAME
from arena.quoting import harmless_cell, one_line
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

HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
"""Columns before the assignments."""

POINTS = "Points Possible"
"""Begins the row with the best grade of each assignment, four spaces before it."""

TEST_STUDENT = "Student, Test"
"""Canvas's own student, by which teachers see a course as students do."""

ASSIGNMENT = re.compile(r"(?P<title>.+) \(\d+\)")
"""The column of an assignment, with Canvas's number of it."""

LEFT = {"ex": "the student is excused", "n/a": "the assignment is not the student's"}
"""Cells that no grade replaces."""


def make(results: CourseResults, form: Form) -> Made:
    """Write Canvas's gradebook. Raises InputError for a sheet that is none."""
    said = list(about_people(results))
    if form.sheet is not None:
        said += filled(results, form, _columns(form.sheet, form.assignment))
        return Made({"canvas.csv": form.sheet.to_bytes()}, said)
    said += without_id(results, NAME)
    rows = [
        (*HEADER, form.assignment or results.contest),
        (f"    {POINTS}", "", "", "", "", number(results.maximum)),
    ]
    for graded in results.people:
        person = graded.person
        grade = "" if graded.grade is None else number(graded.grade)
        identifier = person.id_in(NAME)
        rows.append((harmless_cell(person.name), identifier, "", person.email, "", grade))
    text = "".join(",".join(map(_cell, row)) + "\n" for row in rows)
    return Made({"canvas.csv": text.encode()}, said)


def _cell(text: str) -> str:
    """Write a cell as Canvas does: in quotes only where it must be, not for its spaces."""
    return text if text == f"    {POINTS}" else quoted(text)


def _columns(sheet: Sheet, assignment: str) -> Columns:
    """Find out where things stand in Canvas's gradebook. Raises InputError."""
    names = require_columns(
        sheet, ["ID"], "Canvas's gradebook, as its Export gives it (Student, ID, …)"
    )
    grade = _assignment(sheet, assignment)
    people, locked = [], {}
    maximum = 0.0
    for row in range(1, len(sheet)):
        first = sheet.cell(row, 0).strip()
        if first == POINTS:
            maximum = points_of(sheet, row, grade, POINTS)
            continue

        def cell(name: str, row: int = row) -> str:
            return sheet.cell(row, names[name]).strip() if name in names else ""

        name = cell("student") or f"{cell('firstname')} {cell('lastname')}".strip()
        if not (name and cell("id")) or name == TEST_STUDENT:
            continue  # the row that says which grades are posted by hand, or nobody
        login = cell("sis login id")
        people.append(
            Listed(
                number=row,
                name=name,
                own=(cell("id"),),
                ids=(cell("sis user id"), cell("integration id")),
                emails=(login, cell("sis user id")),
                logins=(login,),
            )
        )
        if (why := LEFT.get(sheet.cell(row, grade).strip().casefold())) is not None:
            locked[row] = why
    if not maximum:
        raise InputError(
            f"{sheet.path}: no points possible for {one_line(sheet.header[grade], 60)}; "
            "set them in Canvas and export the gradebook again"
        )
    return Columns(system=NAME, rows=people, grade=grade, locked=locked, maximum=maximum)


def _assignment(sheet: Sheet, wanted: str) -> int:
    """Return the number of the column of an assignment. Raises InputError."""
    matches = {n: ASSIGNMENT.fullmatch(name.strip()) for n, name in enumerate(sheet.header)}
    titles = {number: match["title"] for number, match in matches.items() if match}
    known = ", ".join(one_line(sheet.header[number], 60) for number in titles) or "none"
    if not wanted:
        if len(titles) != 1:
            raise InputError(
                f"{sheet.path}: say with --assignment NAME which column is to be filled in; "
                f"there are: {known}"
            )
        return next(iter(titles))
    exact = [number for number, name in enumerate(sheet.header) if name.strip() == wanted]
    named = [number for number, title in titles.items() if title.casefold() == wanted.casefold()]
    found = exact or named
    if len(found) != 1:
        many = "several assignments are" if found else "no assignment is"
        raise InputError(f"{sheet.path}:1: {many} called {wanted}; there are: {known}")
    return found[0]
