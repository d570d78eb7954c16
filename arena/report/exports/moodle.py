"""Moodle: the grading worksheet of an assignment.

Moodle finds a participant by the number in the column Identifier, which is the one in the names of
the folders of its submissions, and reads the columns by their English names.
"""

from __future__ import annotations

import re
from html import escape

from arena.errors import InputError
from arena.intake.exports.moodle import NAME
from arena.quoting import harmless_cell
from arena.report.exports.gradebook import Columns, CourseResults, Form, Gradebook, points_of
from arena.report.exports.matching import Listed
from arena.report.exports.sheet import Sheet, quoted

HEADER = (
    *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"),
    *("Grade can be changed", "Last modified (submission)", "Last modified (grade)"),
    "Feedback comments",
)
"""Columns of the worksheet."""

PARTICIPANT = "Participant "
"""Stands before the number of a participant."""

NEVER = "-"
"""Stands for the time of what did not happen."""


def _rows(results: CourseResults, form: Form, said: list[str]) -> list[tuple[str, ...]]:
    """Return the rows of a new worksheet. Raises InputError if nobody could be in it."""
    rows: list[tuple[str, ...]] = [HEADER]
    for graded in results.people:
        person = graded.person
        identifier = person.id_in(NAME)
        if not identifier.isdecimal():
            said.append(f"not in the worksheet, as no Moodle identifier is known: {person.name}")
            continue
        grade = "" if graded.grade is None else f"{graded.grade:.2f}"
        handed_in = "Submitted for grading" if person.handed_in else "No submission"
        rows.append(
            (
                f"{PARTICIPANT}{identifier}",
                *map(harmless_cell, (person.name, person.email)),
                handed_in + (" - Late" if person.late else ""),
                *(grade, f"{results.maximum:.2f}", "Yes", NEVER, NEVER),
                escape(graded.comment, quote=False),  # Moodle shows comments as HTML
            )
        )
    if len(rows) == 1:
        raise InputError(
            "no Moodle identifier is known for anybody: give the worksheet of the assignment by "
            "--gradebook, or enter submissions as Moodle exports them"
        )
    return rows


def _cell(text: str) -> str:
    """Write a cell as PHP does, which also quotes spaces."""
    return f'"{text}"' if " " in text and quoted(text) == text else quoted(text)


def _columns(sheet: Sheet, form: Form, results: CourseResults) -> Columns:
    people, locked = [], {}
    maximum, decimal = None, "."
    for row, cells in sheet.named():
        identifier = re.sub(r"\D", "", cells["identifier"])
        if not identifier:
            continue
        email = cells["email address"]
        people.append(
            Listed(
                number=row,
                name=cells["full name"],
                own=(identifier,),
                ids=(cells["id number"],),
                emails=(email,),
                logins=(cells["username"], email.partition("@")[0]),
                handed_in=cells["status"].casefold().startswith("submitted"),
            )
        )
        if cells["grade can be changed"].casefold() == "no":
            locked[row] = "Moodle says that the grade cannot be changed"
        if (best := cells["maximum grade"]) and maximum is None:
            maximum = points_of(sheet, row, sheet.columns["maximum grade"], "Maximum Grade")
            decimal = "," if "," in best else "."
    return Columns(
        rows=people,
        grade=sheet.columns["grade"],
        comment=sheet.columns.get("feedback comments"),
        locked=locked,
        maximum=maximum or 10.0,
        decimal=decimal,
    )


GRADEBOOK = Gradebook(
    system=NAME,
    file="moodle.csv",
    needed=["Identifier", "Grade"],
    expected="Moodle's grading worksheet in English (Identifier, Full name, …, Grade, …)",
    columns=_columns,
    rows=_rows,
    cell=_cell,
)
