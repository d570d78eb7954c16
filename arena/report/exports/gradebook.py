"""A contest's results as exports write them, and grades into a course system's gradebook.

The formats of course systems share this: their modules know where things stand in their files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

from arena.contest import Person
from arena.errors import InputError
from arena.naming import numbered, plain_name
from arena.numbers import counted, some
from arena.quoting import one_line
from arena.report.exports.matching import Listed, marks_of, match
from arena.report.exports.sheet import Sheet, quoted

MOST_NAMED = 20
"""People without a grade that a sentence names; the others are counted."""

NO_GRADE = ("", "-")
"""Cells in which no grade stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A bot's row of the leaderboard."""

    bot: str
    """Its name in the contest."""

    pseudonym: str
    """Its name in what is published; empty if it has none."""

    is_house: bool
    """True for a house player."""

    cells: Mapping[str, object]
    """Its cells by column, as numbers and texts; None where there is nothing."""

    scores: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    """Its points and games against each house player, by name: of those games that count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A person, or a bot that nobody on the roster owns, with what goes into a gradebook."""

    person: Person
    """The person; of a bot without one the name is the bot's."""

    is_listed: bool
    """True if the person is on the roster."""

    place: Place | None
    """The place of their bot; None if they have none that took part, and so no rank."""

    grade: float | None
    """The grade, penalties taken off; None if there is none."""

    comment: str
    """A few sentences for the person: the result, and why the grade is what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """What is handed out to a bot's author."""

    bot: str
    """The bot's name in the contest."""

    report: str
    """The author's own report, a page of HTML."""

    files: Mapping[str, str]
    """That and what else there is, texts by the names of their files."""

    where: str = ""
    """Name of what was handed in, as the course's system has it; empty if it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseResults:
    """Everything that an export may write."""

    contest: str
    """The contest's name."""

    columns: Sequence[str]
    """The leaderboard's columns, in their order."""

    places: Sequence[Place]
    """The leaderboard, best first; then the bots that could not be loaded, without a rank."""

    people: Sequence[Graded]
    """The roster in its order, then the bots that nobody there owns."""

    maximum: float
    """The best grade."""

    is_published: bool
    """True if bots go by pseudonyms, so that nothing may name a person."""

    pages: Callable[[], Iterable[tuple[str, str]]]
    """A function that yields each bot's name and its page, in Markdown."""

    handouts: Callable[[], Iterable[Handout]]
    """A function that yields what is handed out for each student's bot."""


class Made(NamedTuple):
    """What an export wrote."""

    files: Mapping[str, bytes]
    """The files by name; of most formats one."""

    remarks: Sequence[str] = ()
    """What there is to say about it, a sentence each."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradebook:
    """A course system's list of people with their grades, to be filled in or to be made."""

    system: str
    """The system."""

    file: str
    """Name of the file that is written."""

    needed: Sequence[str]
    """Columns that the system's own file must have."""

    expected: str
    """That file, for people."""

    columns: Callable[[Sheet, Form, CourseResults], Columns]
    """Finds out where things stand in that file. Raises InputError."""

    rows: Callable[[CourseResults, Form, list[str]], Sequence[Sequence[str]]]
    """Returns the rows of a new file, header first, and adds what there is to say to the list."""

    cell: Callable[[str], str] = quoted
    """Writes a cell of a new file."""

    def make(self, results: CourseResults, form: Form) -> Made:
        """Fill the system's own file in, or make one. Raises InputError for another file."""
        said = list(about_people(results))
        sheet = form.sheet
        if sheet is None:
            rows = self.rows(results, form, said)
            text = "".join(",".join(map(self.cell, row)) + "\n" for row in rows)
            return Made({self.file: text.encode()}, said)
        missing = [name for name in self.needed if name.casefold() not in sheet.columns]
        if missing:
            raise InputError(f"{sheet.path}:1: no column {missing[0]}; expected {self.expected}")
        columns = self.columns(sheet, form, results)
        said += _filled(results, sheet, form.missing, self.system, columns)
        return Made({self.file: sheet.to_bytes()}, said)


def _filled(
    results: CourseResults, sheet: Sheet, missing: float | None, system: str, columns: Columns
) -> list[str]:
    """Fill a system's own file in; returns what there is to say, a sentence each."""
    people = results.people
    found = match([graded.person for graded in people], columns.rows, system)
    said: list[str] = []
    grades: list[tuple[Listed, float, str]] = []
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
            grades.append((row, graded.grade, graded.comment))
    known = {row.number for row in found.values()}
    strangers = [row for row in columns.rows if row.number not in known]
    lost = [graded.person for index, graded in enumerate(people) if index not in found]
    if strangers and any(graded.is_listed for graded in people):
        marks = marks_of(lost, system)
        doubtful = [row for row in strangers if marks & marks_of([row], system)]
        absent, more = _without_submission(sheet, columns, strangers, doubtful, missing)
        said += more
        grades += ((row, missing or 0.0, "Nothing was handed in.") for row in absent)
    elif strangers:
        said.append(f"in {sheet.path}, but no bot is called so: {_listed(strangers)}")
    replaced = sum(_write(sheet, columns, results.maximum, *each) for each in grades)
    if replaced:
        were = "was" if replaced == 1 else "were"
        said.append(f"{counted(replaced, 'grade')} that stood there {were} replaced")
    said.append(f"{counted(len(grades), 'grade')} written into a copy of {sheet.path}")
    return said


def _write(
    sheet: Sheet, columns: Columns, best: float, row: Listed, points: float, comment: str
) -> bool:
    """Write a grade, on the file's scale, and its comment; True if it replaced another grade."""
    grade = number(points * columns.maximum / best)
    before = sheet.cell(row.number, columns.grade).strip()
    sheet.fill(row.number, columns.grade, grade.replace(".", columns.decimal))
    if columns.comment is not None:
        if points and columns.maximum != best:
            comment += (
                f" {number(points)} of {number(best)} is {grade} of "
                f"{number(columns.maximum)} in this gradebook."
            )
        sheet.fill(row.number, columns.comment, comment)
    return before not in NO_GRADE and parsed(before) != float(grade)


def _without_submission(
    sheet: Sheet,
    columns: Columns,
    strangers: Sequence[Listed],
    doubtful: Sequence[Listed],
    missing: float | None,
) -> tuple[list[Listed], list[str]]:
    """Return the rows that get the grade `missing`, and what there is to say.

    They are not on the roster, so they handed in nothing. Nobody gets it who handed in by the file
    itself, or who may be somebody on the roster that was not found (`doubtful`).
    """
    locked = columns.locked
    present = [row for row in strangers if row.handed_in]
    doubtful = [row for row in doubtful if not row.handed_in]
    others = [row for row in strangers if not row.handed_in and row not in doubtful]
    graded = [row for row in others if row.number not in locked]
    fixed = [row for row in others if row.number in locked]
    said = [f"left as it is: {_listed([row])}, as {locked[row.number]}" for row in fixed]
    if graded:
        get = "(--missing 0 gives them 0)" if missing is None else f"and get {number(missing)}"
        said.append(
            f"in {sheet.path}, but not on the roster, so they handed in nothing {get}: "
            f"{_listed(graded)}"
        )
    if present:
        said.append(
            f"in {sheet.path} they handed in, but they are not on the roster, so without a grade "
            f"(a row in roster.csv with their bot gives them its grade): {_listed(present)}"
        )
    if doubtful:
        said.append(
            f"in {sheet.path}, perhaps somebody on the roster who was not found, so without a "
            f"grade: {_listed(doubtful)}"
        )
    return ([] if missing is None else graded), said


def about_people(results: CourseResults) -> Iterator[str]:
    """Yield what there is to say of people without a grade, and of bots without people."""
    none = [graded for graded in results.people if graded.grade is None]
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


def folder_names(people: Iterable[Person]) -> Iterator[str]:
    """Yield a folder's name for each person, all different whatever the case."""
    taken: set[str] = set()
    for person in people:
        plain = plain_name(f"{person.name} {person.id}".strip()) or "student"
        name = next(name for name in numbered(plain) if name.casefold() not in taken)
        taken.add(name.casefold())
        yield name


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
    """Return the points in a cell, 0 if it is empty. Raises InputError with line and `name`."""
    text = sheet.cell(row, column).strip()
    points = parsed(text)
    if text and not (points is not None and isfinite(points) and points >= 0):
        raise InputError(
            f"{sheet.path}:{sheet.line(row)}: {name} = {one_line(text, 40)}: expected a number of "
            "points, like 10; set it in the course's system and export the file again"
        )
    return points or 0.0


def _named(names: Sequence[str]) -> str:
    """Return the names of people in a sentence; of many only the first."""
    return some(names, MOST_NAMED, "; ")


def _listed(rows: Sequence[Listed]) -> str:
    names = [row.name or " ".join(filter(None, (*row.own, *row.ids))) for row in rows]
    return _named([one_line(name, 60) for name in names])


def _who(graded: Graded) -> str:
    person = graded.person
    return one_line(f"{person.name} ({person.id or person.email})".replace(" ()", ""), 80)
