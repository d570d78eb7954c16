"""Grades for a course system's gradebook: the parts that all systems share.

People match rows by identifier, else e-mail, else login, else name; a value that several share
matches nobody. A `Sheet` changes single cells and keeps all others, as the system reads its file
again.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from arena.common.errors import InputError, reading
from arena.common.names import numbered, plain_name
from arena.common.text import counted, one_line, plain_cell, some_of
from arena.courses.export import Person

OF_SCHOOL = ("Gradescope",)  # Systems with the school's identifiers; others have their own.


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    number: int
    name: str = ""
    own: tuple[str, ...] = ()
    """The system's own identifiers."""
    ids: tuple[str, ...] = ()
    """The school's identifiers."""
    emails: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    handed_in: bool = False
    """Whether the list records a submission."""


def match(people: Sequence[Person], rows: Sequence[Listed], system: str) -> dict[int, Listed]:
    """Return the rows that match people, by the people's indices."""
    found: dict[int, Listed] = {}
    listed = [_list_entry(person, system) for person in people]
    by_number = {row.number: row for row in rows}
    for kind in range(KINDS):
        rows_of = _unique((row.number, _keys(row)[kind]) for row in rows)
        people_of = _unique((index, _keys(one)[kind]) for index, one in enumerate(listed))
        taken = {row.number for row in found.values()}
        for key, index in people_of.items():
            row = by_number.get(rows_of.get(key, -1))
            if row is None or index in found or row.number in taken:
                continue
            if kind < EMAILS and _contradicts(listed[index], row):
                continue
            found[index] = row
            taken.add(row.number)
    return found


def keys_of(people: Iterable[Person | Listed], system: str) -> set[str]:
    listed = [one if isinstance(one, Listed) else _list_entry(one, system) for one in people]
    return {mark for one in listed for marks in _keys(one) for mark in marks}


def _list_entry(person: Person, system: str) -> Listed:
    login = person.email.partition("@")[0]
    if not (person.id or person.email) and person.name == person.bot:
        login = person.name  # a bot that nobody owns: its file may have its author's login
    own = person.id_in(system)
    by_school = own or (person.id if person.system in OF_SCHOOL else "")
    return Listed(
        number=0,
        name=person.name,
        own=(own,),
        ids=(by_school,),
        emails=(person.email, by_school if "@" in by_school else ""),
        logins=(by_school, person.email, login),
    )


def _unique(pairs: Iterable[tuple[int, set[str]]]) -> dict[str, int]:
    listed = list(pairs)
    counts = Counter(key for _, keys in listed for key in keys)
    return {key: number for number, keys in listed for key in keys if counts[key] == 1}


KINDS, EMAILS = 5, 2  # Number of kinds in `_keys`, and the index of e-mails.


def _keys(one: Listed) -> tuple[set[str], ...]:
    """Return sets of keys: own identifiers, others, e-mails, logins and the name."""
    texts = (one.own, one.ids, [each for each in one.emails if "@" in each], one.logins)
    kinds = ({_folded(each) for each in kind if each} for kind in texts)
    return (*kinds, {_plain_name(one)} - {""})


def in_order(name: str) -> str:
    """Return `Doe, Jane` as `Jane Doe`."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma else name.strip()


def _plain_name(one: Listed) -> str:
    return _folded(in_order(plain_cell(one.name)))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _contradicts(person: Listed, row: Listed) -> bool:
    """Return True if e-mails and names show that identifiers are equal by chance."""
    if _keys(person)[EMAILS] & _keys(row)[EMAILS]:
        return False
    mine, theirs = set(_plain_name(person).split()), set(_plain_name(row).split())
    return bool(mine and theirs and not mine & theirs)


MARK = "\ufeff"  # Byte order mark; Excel needs it for UTF-8.
MAX_BYTES = 64 << 20  # Most bytes of a gradebook.
SEPARATORS = (",", ";", "\t")  # In the order of preference.


class Sheet:
    def __init__(self, path: Path, data: bytes) -> None:
        """Parse the bytes of the file at `path`. Raises InputError."""
        self.path = path
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            what = "not UTF-8 text; use the file as the course's system gave it"
            raise InputError(f"{path}:{line}: {what}") from None
        self._mark = MARK if text.startswith(MARK) else ""
        text = text.removeprefix(MARK)
        self._separator = max(SEPARATORS, key=text.partition("\n")[0].count)
        self._end = "\r\n" if "\r\n" in text else "\n"
        self._rows: list[list[str]] = []
        self._lines = [0]
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=self._separator)
            for row in reader:
                self._rows.append(row)
                self._lines.append(reader.line_num)
        except csv.Error as error:
            raise InputError(f"{path}:{self._lines[-1] + 1}: not a CSV file: {error}") from None
        self.header = next(iter(self._rows), [])
        self.columns = {name.strip().casefold(): at for at, name in enumerate(self.header)}
        """Column numbers by lower-case name."""

    def line(self, number: int) -> int:
        """Return the file's line (from 1) where a row begins."""
        return self._lines[number] + 1

    def named(self) -> Iterator[tuple[int, Mapping[str, str]]]:
        """Yield (row number, stripped cells by lower-case column) below the header."""
        for row in range(1, len(self._rows)):
            cells = {name: self.cell(row, at).strip() for name, at in self.columns.items()}
            yield row, defaultdict(str, cells)

    def cell(self, number: int, column: int) -> str:
        cells = self._rows[number]
        return cells[column] if column < len(cells) else ""

    def fill(self, number: int, column: int, text: str) -> None:
        cells = self._rows[number]
        cells += [""] * (column + 1 - len(cells))
        cells[column] = text

    def to_bytes(self) -> bytes:
        return (self._mark + csv_text(self._rows, self._separator, self._end)).encode()


def csv_text(rows: Iterable[Sequence[object]], separator: str = ",", end: str = "\n") -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(rows)
    return text.getvalue()


def read_sheet(path: Path) -> Sheet:
    """Read a course system's own file. Raises InputError."""
    with reading(path):
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: longer than a gradebook can be")
        return Sheet(path, path.read_bytes())


MOST_NAMED = 20  # People in a sentence; the others are counted.
HOW_TO_OWN = "--roster names a CSV file that gives each bot's author: name, id, bot"
NO_GRADE = ("", "-")  # Cells without a grade.


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A bot's row of the leaderboard."""

    bot: str
    pseudonym: str
    is_house: bool
    cells: Mapping[str, object]
    """Numbers and texts by column; None if empty."""

    scores: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    """Points and number of counted games against each house player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A person, or a bot that nobody owns, with gradebook entries."""

    person: Person
    """If nobody owns the bot, a person with its name."""

    is_listed: bool
    place: Place | None
    grade: float | None
    """With penalties subtracted; None for no grade."""

    comment: str
    """Sentences: the result, and the reason for the grade."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """Files for a bot's author."""

    bot: str
    report: str
    files: Mapping[str, str]
    where: str = ""
    """The submission's name in the course system; empty if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseResults:
    """All data that an export may write."""

    contest: str
    columns: Sequence[str]
    places: Sequence[Place]
    """The leaderboard; then bots that could not be loaded."""

    people: Sequence[Graded]
    """In roster order, then bots that nobody owns."""

    maximum: float
    is_published: bool
    """Whether bots have pseudonyms; then nothing may name a person."""

    pages: Callable[[], Iterable[tuple[str, str]]]
    """Yields each bot's name and page in Markdown."""

    handouts: Callable[[], Iterable[Handout]]


class Made(NamedTuple):
    """Files of an export by name."""

    files: Mapping[str, bytes]
    remarks: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    sheet: Sheet | None = None
    """File to fill in; None for a new one."""

    assignment: str = ""
    """The assignment's title; may be empty if the sheet has only one."""

    missing: float | None = None
    """Grade of people who are not on the roster; None for no grade."""

    template: Path | None = None
    """File with the text of mails; None for the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    rows: Sequence[Listed]
    grade: int
    comment: int | None = None
    locked: Mapping[int, str]
    """Why a row's grade must stay, by row number."""

    maximum: float
    decimal: str = "."


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradebook:
    """A course system's list of people with their grades."""

    system: str
    file: str
    needed: Sequence[str]
    expected: str
    columns: Callable[[Sheet, Form, CourseResults], Columns]
    """Finds people and columns in that file. Raises InputError."""

    rows: Callable[[CourseResults, Form, list[str]], Sequence[Sequence[str]]]
    """Returns a new file's rows, header first; appends remarks to the list."""

    def make(self, results: CourseResults, form: Form) -> Made:
        """Fill in the system's file, or make one. Raises InputError."""
        remarks = list(about_people(results))
        sheet = form.sheet
        if sheet is None:
            made = csv_text(self.rows(results, form, remarks)).encode()
            return Made({self.file: made}, remarks)
        missing = [name for name in self.needed if name.casefold() not in sheet.columns]
        if missing:
            raise InputError(f"{sheet.path}:1: no column {missing[0]}; expected {self.expected}")
        columns = self.columns(sheet, form, results)
        remarks += _filled(results, sheet, form.missing, self.system, columns)
        return Made({self.file: sheet.to_bytes()}, remarks)


def _filled(
    results: CourseResults, sheet: Sheet, missing: float | None, system: str, columns: Columns
) -> list[str]:
    people = results.people
    found = match([graded.person for graded in people], columns.rows, system)
    remarks: list[str] = []
    grades: list[tuple[Listed, float, str]] = []
    if columns.maximum != results.maximum:
        remarks.append(
            f"the best grade in {sheet.path} is {number(columns.maximum)}, so grades of "
            f"{number(results.maximum)} are scaled to it"
        )
    for index, graded in enumerate(people):
        row = found.get(index)
        if graded.grade is None:
            continue
        if row is None:
            remarks.append(
                f"not in {sheet.path} by id, e-mail, login or name: {_who(graded)}, "
                f"grade {number(graded.grade)}"
            )
        elif row.number in columns.locked:
            remarks.append(f"left unchanged: {_who(graded)}, because {columns.locked[row.number]}")
        else:
            grades.append((row, graded.grade, graded.comment))
    known = {row.number for row in found.values()}
    strangers = [row for row in columns.rows if row.number not in known]
    lost = [graded.person for index, graded in enumerate(people) if index not in found]
    if strangers and any(graded.is_listed for graded in people):
        marks = keys_of(lost, system)
        doubtful = [row for row in strangers if marks & keys_of([row], system)]
        absent, more = _without_submission(sheet, columns, strangers, doubtful, missing)
        remarks += more
        grades += ((row, missing or 0.0, "Nothing was handed in.") for row in absent)
    elif strangers:
        remarks.append(
            f"in {sheet.path}, but no bot has this name or login ({HOW_TO_OWN}): "
            f"{_listed(strangers)}"
        )
    replaced = sum(_write(sheet, columns, results.maximum, *each) for each in grades)
    if replaced:
        were = "was" if replaced == 1 else "were"
        remarks.append(f"{counted(replaced, 'earlier grade')} {were} replaced")
    remarks.append(f"{counted(len(grades), 'grade')} written into a copy of {sheet.path}")
    return remarks


def _write(
    sheet: Sheet, columns: Columns, best: float, row: Listed, points: float, comment: str
) -> bool:
    """Write a scaled grade and its comment; return True if another grade was replaced."""
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
    """Return the rows that get the grade `missing`, and remarks.

    Rows with a submission get no grade, nor do `doubtful` ones: these may be people of the roster.
    """
    locked = columns.locked
    present = [row for row in strangers if row.handed_in]
    doubtful = [row for row in doubtful if not row.handed_in]
    others = [row for row in strangers if not row.handed_in and row not in doubtful]
    graded = [row for row in others if row.number not in locked]
    fixed = [row for row in others if row.number in locked]
    remarks = [f"left unchanged: {_listed([row])}, because {locked[row.number]}" for row in fixed]
    if graded:
        get = "(--missing 0 gives them 0)" if missing is None else f"and get {number(missing)}"
        remarks.append(
            f"in {sheet.path}, but not on the roster, so they handed in nothing {get}: "
            f"{_listed(graded)}"
        )
    if present:
        remarks.append(
            f"no grade for people who handed in, by {sheet.path}, but are not on the roster "
            f"(a row in roster.csv with their bot gives them a grade): {_listed(present)}"
        )
    if doubtful:
        remarks.append(
            f"no grade for people in {sheet.path} who may stand on the roster, but not clearly: "
            f"{_listed(doubtful)}"
        )
    return ([] if missing is None else graded), remarks


def about_people(results: CourseResults) -> Iterator[str]:
    none = [graded for graded in results.people if graded.grade is None]
    empty = [graded for graded in none if not graded.person.handed_in]
    others = [graded for graded in none if graded.person.handed_in]
    if empty:
        names = _named([_who(graded) for graded in empty])
        yield f"no grade, because they handed in nothing (--missing 0 gives them 0): {names}"
    for graded in others:
        zero = "" if graded.place else " (--missing 0 gives 0)"
        yield one_line(f"no grade{zero}: {_who(graded)}: {graded.comment}")
    if any(graded.is_listed for graded in results.people):
        for graded in results.people:
            if not graded.is_listed:
                yield f"{_who(graded)} belongs to nobody on the roster: its own name is used"


def without_id(results: CourseResults, system: str) -> Iterator[str]:
    """Yield a remark on people with only another system's identifiers."""
    people = [graded.person for graded in results.people]
    foreign = [person for person in people if person.id and not person.id_in(system)]
    if foreign:
        systems = ", ".join(sorted({person.system for person in foreign}))
        yield (
            f"without an identifier, because the roster has {systems}'s and not {system}'s "
            f"(--gradebook fills in {system}'s own file): "
            f"{_named([person.name for person in foreign])}"
        )


def folder_names(people: Iterable[Person]) -> Iterator[str]:
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
    """Return the number in a cell, with a point or comma, or None."""
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None


def points_of(sheet: Sheet, row: int, column: int, name: str) -> float:
    """Return the points in a cell, 0 if empty. Raises InputError."""
    text = sheet.cell(row, column).strip()
    points = parsed(text)
    if text and not (points is not None and isfinite(points) and points >= 0):
        raise InputError(
            f"{sheet.path}:{sheet.line(row)}: {name} = {one_line(text, 40)}: expected a number of "
            "points, like 10; set it in the course's system and export the file again"
        )
    return points or 0.0


def _named(names: Sequence[str]) -> str:
    return some_of(names, MOST_NAMED, "; ")


def _listed(rows: Sequence[Listed]) -> str:
    names = [row.name or " ".join(filter(None, (*row.own, *row.ids))) for row in rows]
    return _named([one_line(name, 60) for name in names])


def _who(graded: Graded) -> str:
    person = graded.person
    return one_line(f"{person.name} ({person.id or person.email})".replace(" ()", ""), 80)
