"""Grades into a course system's gradebook: who gets which, and what is to be said about it.

The formats of course systems share this: their modules know where things stand in their files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import isfinite

from arena.errors import InputError
from arena.numbers import counted, some
from arena.quoting import one_line
from arena.report.exports.matching import Listed, marks_of, match
from arena.report.exports.record import CourseResults, Graded
from arena.report.exports.sheet import Sheet

MOST_NAMED = 20
"""People without a grade that a sentence names; the others are counted."""

NO_GRADE = ("", "-")
"""Cells in which no grade stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What an instructor gives with a format of a course system."""

    sheet: Sheet | None = None
    """The system's own file, to be filled in; None to make one."""

    assignment: str = ""
    """Name of the assignment; empty for the contest's, or the only one of the sheet."""

    missing: float | None = None
    """The grade of those in the sheet who are not on the roster; None for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where things stand in a system's own file."""

    system: str
    """The system."""

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


def filled(results: CourseResults, form: Form, columns: Columns) -> list[str]:
    """Fill a system's own file in; returns what there is to say, a sentence each."""
    sheet = form.sheet
    assert sheet is not None  # `columns` are those of one
    people = list(results.people)
    found = match([graded.person for graded in people], columns.rows, columns.system)
    said: list[str] = []
    book = _Filling(results, sheet, columns)
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
            book.write(row, graded.grade, graded.comment)
    known = {row.number for row in found.values()}
    strangers = [row for row in columns.rows if row.number not in known]
    lost = [graded.person for index, graded in enumerate(people) if index not in found]
    if strangers and any(graded.is_listed for graded in people):
        marks = marks_of(lost, columns.system)
        said += _without_submission(book, strangers, marks, form.missing)
    elif strangers:
        said.append(f"in {sheet.path}, but no bot is called so: {_listed(strangers)}")
    if book.replaced:
        were = "was" if book.replaced == 1 else "were"
        said.append(f"{counted(book.replaced, 'grade')} that stood there {were} replaced")
    said.append(f"{counted(book.written, 'grade')} written into a copy of {sheet.path}")
    return said


class _Filling:
    """A system's own file while grades are written into it."""

    def __init__(self, results: CourseResults, sheet: Sheet, columns: Columns) -> None:
        self.sheet, self.columns = sheet, columns
        self._best = results.maximum
        self.written = 0
        """Grades that were written."""
        self.replaced = 0
        """Those in whose place another grade stood."""

    def write(self, row: Listed, points: float, comment: str) -> None:
        """Write a grade, on the scale of the file, and the comment to it."""
        columns = self.columns
        grade = scaled(points, self._best, columns.maximum)
        before = self.sheet.cell(row.number, columns.grade).strip()
        self.replaced += before not in NO_GRADE and parsed(before) != float(grade)
        self.written += 1
        self.sheet.fill(row.number, columns.grade, grade.replace(".", columns.decimal))
        if columns.comment is not None:
            if points and columns.maximum != self._best:
                comment += (
                    f" {number(points)} of {number(self._best)} is {grade} of "
                    f"{number(columns.maximum)} in this gradebook."
                )
            self.sheet.fill(row.number, columns.comment, comment)


def _without_submission(
    book: _Filling, strangers: Sequence[Listed], marks: Set[str], missing: float | None
) -> Iterator[str]:
    """Treat the rows of people who are not on the roster: they handed in nothing.

    Who handed in by the file itself gets no grade, and neither does who has one of `marks`: those
    of people on the roster who were not found. Yields what there is to say.
    """
    path, locked = book.sheet.path, book.columns.locked
    present = [row for row in strangers if row.handed_in]
    absent = [row for row in strangers if not row.handed_in]
    doubtful = [row for row in absent if marks & marks_of([row], book.columns.system)]
    others = [row for row in absent if row not in doubtful]
    fixed = [row for row in others if row.number in locked]
    graded = [row for row in others if row.number not in locked]
    for row in fixed:
        yield f"left as it is: {_listed([row])}, as {locked[row.number]}"
    if graded and missing is None:
        yield (
            f"in {path}, but not on the roster, so they handed in nothing "
            f"(--missing 0 gives them 0): {_listed(graded)}"
        )
    elif graded and missing is not None:
        for row in graded:
            book.write(row, missing, "Nothing was handed in.")
        yield (
            f"in {path}, but not on the roster, so they handed in nothing "
            f"and get {number(missing)}: {_listed(graded)}"
        )
    if present:
        yield (
            f"in {path} they handed in, but they are not on the roster, so without a grade (a row "
            f"in roster.csv with their bot gives them its grade): {_listed(present)}"
        )
    if doubtful:
        yield (
            f"in {path}, perhaps somebody on the roster who was not found, so without a grade: "
            f"{_listed(doubtful)}"
        )


def about_people(results: CourseResults) -> Iterator[str]:
    """Yield what there is to say of people without a grade, and of bots without people."""
    none = results.without_grade
    empty = [graded for graded in none if not graded.person.handed_in]
    others = [graded for graded in none if graded.person.handed_in]
    if empty:
        names = _named([_who(graded) for graded in empty])
        yield f"no grade, as they handed in nothing (--missing 0 gives them 0): {names}"
    for graded in others:
        zero = "" if graded.place else " (--missing 0 gives 0)"
        yield one_line(f"no grade{zero}: {_who(graded)}: {graded.comment}")
    if any(graded.is_listed for graded in results.people):
        for graded in results.people:
            if not graded.is_listed:
                yield f"{_who(graded)} is nobody's bot on the roster: it goes by its own name"


def without_id(results: CourseResults, system: str) -> Iterator[str]:
    """Yield a line about people whose identifiers are another system's and were left out."""
    people = [graded.person for graded in results.people]
    foreign = [person for person in people if person.id and not person.id_in(system)]
    if foreign:
        systems = ", ".join(sorted({person.system for person in foreign}))
        yield (
            f"without an identifier, as the roster has {systems}'s and not {system}'s (--gradebook "
            f"fills in {system}'s own file): {_named([person.name for person in foreign])}"
        )


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


def points_of(sheet: Sheet, row: int, column: int, name: str) -> float:
    """Return the points that a cell called so says; 0 for an empty one.

    Raises InputError, with the line, for what nobody can be graded on.
    """
    text = sheet.cell(row, column).strip()
    points = parsed(text)
    if text and not (points is not None and isfinite(points) and points >= 0):
        raise InputError(
            f"{sheet.path}:{sheet.line(row)}: {name} = {one_line(text, 40)}: expected a number of "
            "points, like 10; set it in the course's system and export the file again"
        )
    return points or 0.0


def scaled(grade: float, of: float, to: float) -> str:
    """Return a grade `of` so many points on a scale `to` so many."""
    return number(grade * to / of)


def _named(names: Sequence[str]) -> str:
    """Return the names of people in a sentence; of many only the first."""
    return some(names, MOST_NAMED, "; ")


def _listed(rows: Sequence[Listed]) -> str:
    """Name people as a system's own file has them."""
    names = [row.name or " ".join(filter(None, (*row.own, *row.ids))) for row in rows]
    return _named([one_line(name, 60) for name in names])


def _who(graded: Graded) -> str:
    """Name a person so that an instructor finds them."""
    person = graded.person
    return one_line(f"{person.name} ({person.id or person.email})".replace(" ()", ""), 80)
