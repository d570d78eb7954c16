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
from arena.report.exports.gradebook import (
    Columns,
    Form,
    about_people,
    filled,
    points_of,
    require_columns,
)
from arena.report.exports.matching import Listed
from arena.report.exports.record import CourseResults, Made
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


def make(results: CourseResults, form: Form) -> Made:
    """Write Moodle's grading worksheet.

    Raises InputError for a sheet that is none, and if without a sheet nobody could be in it.
    """
    said = list(about_people(results))
    if form.sheet is not None:
        said += filled(results, form, _columns(form.sheet))
        return Made({"moodle.csv": form.sheet.to_bytes()}, said)
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
    text = "".join(",".join(map(_cell, row)) + "\n" for row in rows)
    return Made({"moodle.csv": text.encode()}, said)


def _cell(text: str) -> str:
    """Write a cell as PHP does, which also quotes spaces."""
    return f'"{text}"' if " " in text and quoted(text) == text else quoted(text)


def _columns(sheet: Sheet) -> Columns:
    """Find out where things stand in Moodle's worksheet. Raises InputError."""
    names = require_columns(
        sheet,
        ["Identifier", "Grade"],
        "Moodle's grading worksheet in English (Identifier, Full name, …, Grade, …)",
    )
    people, locked = [], {}
    maximum, decimal = None, "."
    for row in range(1, len(sheet)):

        def cell(name: str, row: int = row) -> str:
            return sheet.cell(row, names[name]).strip() if name in names else ""

        identifier = re.sub(r"\D", "", cell("identifier"))
        if not identifier:
            continue
        email = cell("email address")
        people.append(
            Listed(
                number=row,
                name=cell("full name"),
                own=(identifier,),
                ids=(cell("id number"),),
                emails=(email,),
                logins=(cell("username"), email.partition("@")[0]),
                handed_in=cell("status").casefold().startswith("submitted"),
            )
        )
        if cell("grade can be changed").casefold() == "no":
            locked[row] = "Moodle says that the grade cannot be changed"
        if (best := cell("maximum grade")) and maximum is None:
            maximum = points_of(sheet, row, names["maximum grade"], "Maximum Grade")
            decimal = "," if "," in best else "."
    return Columns(
        system=NAME,
        rows=people,
        grade=names["grade"],
        comment=names.get("feedback comments"),
        locked=locked,
        maximum=maximum or 10.0,
        decimal=decimal,
    )
