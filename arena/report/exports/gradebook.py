"""Grades into a course system's gradebook: who gets which, and what is to be said about it.

The formats of course systems share this: their modules know where things stand in their files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.errors import InputError
from arena.numbers import counted
from arena.quoting import one_line
from arena.report.exports.matching import Listed, match
from arena.report.exports.record import CourseResults, Graded
from arena.report.exports.sheet import Sheet

MOST_NAMED = 20
"""People without a grade that a sentence names; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What an instructor gives with a format of a course system."""

    sheet: Sheet | None = None
    """The system's own file, to be filled in; None to make one."""

    assignment: str = ""
    """Name of the assignment; empty for the contest's, or the only one of the sheet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where things stand in a system's own file."""

    rows: Sequence[Listed]
    """Its people."""

    grade: int
    """Number of the column with the grades."""

    comment: int | None = None
    """Number of the column with comments; None if there is none."""

    locked: Mapping[int, str]
    """For rows whose grade is not to be changed the reason, a clause."""

    maximum: float
    """The best grade in this gradebook."""

    decimal: str = "."
    """What stands before decimals."""


def filled(results: CourseResults, sheet: Sheet, columns: Columns) -> list[str]:
    """Fill a system's own file in; returns what there is to say, a sentence each."""
    people = list(results.people)
    found = match([graded.person for graded in people], columns.rows)
    said, written = [], 0
    if columns.maximum != results.maximum:
        said.append(
            f"the best grade in {sheet.path} is {number(columns.maximum)}, so grades of "
            f"{number(results.maximum)} are scaled to that"
        )
    for index, graded in enumerate(people):
        row = found.get(index)
        if graded.grade is None:
            continue
        if row is None:
            said.append(
                f"not in {sheet.path} by id, e-mail, login or name: {_who(graded)}, "
                f"grade {number(graded.grade)}"
            )
        elif row.number in columns.locked:
            said.append(f"left as it is: {_who(graded)}, as {columns.locked[row.number]}")
        else:
            grade = scaled(graded.grade, results.maximum, columns.maximum)
            sheet.fill(row.number, columns.grade, grade.replace(".", columns.decimal))
            if columns.comment is not None:
                sheet.fill(row.number, columns.comment, graded.comment)
            written += 1
    known = {row.number for row in found.values()}
    strangers = [row for row in columns.rows if row.number not in known]
    if strangers:
        names = [one_line(row.name or " ".join(filter(None, row.ids)), 60) for row in strangers]
        said.append(f"in {sheet.path}, but not on the roster: {some(names)}")
    said.append(f"{counted(written, 'grade')} written into a copy of {sheet.path}")
    return said


def about_people(results: CourseResults) -> Iterator[str]:
    """Yield what there is to say of people without a grade, and of bots without people."""
    none = results.without_grade
    empty = [graded for graded in none if not graded.person.handed_in]
    others = [graded for graded in none if graded.person.handed_in]
    if empty:
        names = some([_who(graded) for graded in empty])
        yield f"no grade, as they handed in nothing (--missing 0 gives them 0): {names}"
    for graded in others:
        yield one_line(f"no grade: {_who(graded)}: {graded.comment}")
    if any(graded.is_listed for graded in results.people):
        for graded in results.people:
            if not graded.is_listed:
                yield f"{_who(graded)} is nobody's bot on the roster: it goes by its own name"


def require_columns(sheet: Sheet, wanted: Sequence[str], what: str) -> dict[str, int]:
    """Return the numbers of a sheet's columns by lower-case name.

    Raises InputError if one of those that are wanted is missing.
    """
    columns = {name.strip().casefold(): number for number, name in enumerate(sheet.header)}
    missing = [name for name in wanted if name.casefold() not in columns]
    if missing:
        raise InputError(f"{sheet.path}:1: no column {missing[0]}; expected {what}")
    return columns


def number(value: float) -> str:
    """Return a grade as gradebooks write it: 8, 7.5, 6.67."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def parsed(cell: str) -> float | None:
    """Return a number in a gradebook, with a decimal point or comma; None if it is none."""
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None


def scaled(grade: float, of: float, to: float) -> str:
    """Return a grade `of` so many points on a scale `to` so many."""
    return number(grade * to / of)


def some(names: Sequence[str]) -> str:
    """Return the first of many names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _who(graded: Graded) -> str:
    """Name a person so that an instructor finds them."""
    person = graded.person
    return one_line(f"{person.name} ({person.id or person.email})".replace(" ()", ""), 80)
