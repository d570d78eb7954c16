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
    CourseResults,
    Form,
    Gradebook,
    number,
    points_of,
    without_id,
)
from arena.report.exports.matching import Listed
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


def _rows(results: CourseResults, form: Form, said: list[str]) -> list[tuple[str, ...]]:
    said += without_id(results, NAME)
    rows: list[tuple[str, ...]] = [
        (*HEADER, form.assignment or results.contest),
        (f"    {POINTS}", "", "", "", "", number(results.maximum)),
    ]
    for graded in results.people:
        person = graded.person
        grade = "" if graded.grade is None else number(graded.grade)
        identifier = person.id_in(NAME)
        rows.append((harmless_cell(person.name), identifier, "", person.email, "", grade))
    return rows


def _cell(text: str) -> str:
    """Write a cell as Canvas does: in quotes only where it must be, not for its spaces."""
    return text if text == f"    {POINTS}" else quoted(text)


def _columns(sheet: Sheet, form: Form, results: CourseResults) -> Columns:
    grade = _assignment(sheet, form.assignment)
    people, locked = [], {}
    maximum = 0.0
    for row, cells in sheet.named():
        if sheet.cell(row, 0).strip() == POINTS:
            maximum = points_of(sheet, row, grade, POINTS)
            continue
        name = cells["student"] or f"{cells['firstname']} {cells['lastname']}".strip()
        if not (name and cells["id"]) or name == TEST_STUDENT:
            continue  # the row that says which grades are posted by hand, or nobody
        login = cells["sis login id"]
        people.append(
            Listed(
                number=row,
                name=name,
                own=(cells["id"],),
                ids=(cells["sis user id"], cells["integration id"]),
                emails=(login, cells["sis user id"]),
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
    return Columns(rows=people, grade=grade, locked=locked, maximum=maximum)


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


GRADEBOOK = Gradebook(
    system=NAME,
    file="canvas.csv",
    needed=["ID"],
    expected="Canvas's gradebook, as its Export gives it (Student, ID, …)",
    columns=_columns,
    rows=_rows,
    cell=_cell,
)
