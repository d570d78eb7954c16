"""Grades into a course system's gradebook: what all systems share.

Their modules say where things stand in their files. People are matched with rows by identifier,
else e-mail, else login, else name; whatever two rows or two people share matches nobody.

In a `Sheet` only single cells change. Every other byte comes back as it was (quotes, encoding, line
ends, the character between the cells), as the system reads its file again.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from arena.common.errors import InputError
from arena.common.names import numbered, plain_name
from arena.common.text import counted, one_line, plain_cell, some
from arena.courses.person import Person

OF_SCHOOL = ("Gradescope",)
"""Systems whose identifiers are the school's. The others have numbers or names of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A person as a system's own list has them; each field may hold nothing."""

    number: int
    """The number of the row."""

    name: str = ""
    own: tuple[str, ...] = ()
    """Identifiers of the system itself."""
    ids: tuple[str, ...] = ()
    """Identifiers that the school gives, the same in all its systems."""
    emails: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    handed_in: bool = False
    """True if the list says that they handed in something."""


def match(people: Sequence[Person], rows: Sequence[Listed], system: str) -> dict[int, Listed]:
    """Return the rows of a system's list that are found, by the people's indices."""
    found: dict[int, Listed] = {}
    listed = [_list_entry(person, system) for person in people]
    by_number = {row.number: row for row in rows}
    for kind in range(KINDS):
        rows_of = _unique((row.number, _marks(row)[kind]) for row in rows)
        people_of = _unique((index, _marks(one)[kind]) for index, one in enumerate(listed))
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


def marks_of(people: Iterable[Person | Listed], system: str) -> set[str]:
    """Return all by which any of these could be found in a list of the system."""
    listed = [one if isinstance(one, Listed) else _list_entry(one, system) for one in people]
    return {mark for one in listed for marks in _marks(one) for mark in marks}


def _list_entry(person: Person, system: str) -> Listed:
    """Return what tells somebody on the roster from others, in a list of the system."""
    login = person.email.partition("@")[0]
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
    """Return whose each key is, without keys that several have."""
    listed = list(pairs)
    counts = Counter(key for _, keys in listed for key in keys)
    return {key: number for number, keys in listed for key in keys if counts[key] == 1}


KINDS, EMAILS = 5, 2
"""Kinds of marks, and the number of that which is e-mails."""


def _marks(one: Listed) -> tuple[set[str], ...]:
    """Return what finds a person: own identifiers, others, e-mails, logins and the name."""
    emails = [each for each in one.emails if "@" in each]
    texts = (one.own, one.ids, emails, one.logins)
    kinds = ({_folded(each) for each in kind if each} for kind in texts)
    return (*kinds, {in_order(one.name)} - {""})


def in_order(name: str) -> str:
    """Return a name to compare: `Doe, Jane` and `jane  doe` are the same."""
    last, comma, first = plain_cell(name).partition(",")
    return _folded(f"{first} {last}" if comma else last)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _contradicts(person: Listed, row: Listed) -> bool:
    """Return True if an identifier is the same by chance: two systems number people from 1 on."""
    if _marks(person)[EMAILS] & _marks(row)[EMAILS]:
        return False
    mine, theirs = set(in_order(person.name).split()), set(in_order(row.name).split())
    return bool(mine and theirs and not mine & theirs)


MARK = "\ufeff"
"""Byte order mark, by which Excel knows UTF-8."""

MAX_BYTES = 64 << 20
"""Bytes of the longest file that is read."""

SEPARATORS = (",", ";", "\t")
"""Characters between cells, in the order in which they are tried."""


class Sheet:
    """A course system's own CSV file, to be filled in."""

    def __init__(self, path: Path, data: bytes) -> None:
        """Read a sheet from the bytes of the file at `path`. Raises InputError."""
        self.path = path
        """The file."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{path}:{line}: not UTF-8 text; use the file as the course's system gave it"
            ) from None
        self._mark = MARK if text.startswith(MARK) else ""
        text = text.removeprefix(MARK)
        head = text[: max(text.find("\n"), 0) or len(text)]
        self._separator = max(SEPARATORS, key=head.count)
        self._lines = list(split(text, self._separator))
        self.header = next(self.rows(), [])
        """The cells of the first row."""
        self.columns = {name.strip().casefold(): at for at, name in enumerate(self.header)}
        """Numbers of the columns by lower-case name."""

    def rows(self) -> Iterator[list[str]]:
        """Yield the cells of each row, the header included, without quotes."""
        return ([plain(cell) for cell in cells] for cells, _ in self._lines)

    def line(self, number: int) -> int:
        """Return the line of the file, from 1, in which a row begins."""
        before = self._lines[:number]
        return 1 + sum("".join((*cells, end)).count("\n") for cells, end in before)

    def named(self) -> Iterator[tuple[int, Mapping[str, str]]]:
        """Yield each row below the header: its number, and stripped cells by lower-case column.

        Columns that the sheet lacks are empty.
        """
        for row in range(1, len(self._lines)):
            cells = {name: self.cell(row, at).strip() for name, at in self.columns.items()}
            yield row, defaultdict(str, cells)

    def cell(self, number: int, column: int) -> str:
        """Return a cell without quotes; empty if the row ends before it."""
        cells, _ = self._lines[number]
        return plain(cells[column]) if column < len(cells) else ""

    def fill(self, number: int, column: int, text: str) -> None:
        """Write a cell, quoted where needed."""
        cells, end = self._lines[number]
        cells = [*cells, *[""] * (column + 1 - len(cells))]
        cells[column] = quoted(text, self._separator)
        self._lines[number] = cells, end

    def to_bytes(self) -> bytes:
        """Return the file."""
        lines = (self._separator.join(cells) + end for cells, end in self._lines)
        return (self._mark + "".join(lines)).encode()


def read_sheet(path: Path) -> Sheet:
    """Read a course system's own file. Raises InputError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: longer than a gradebook can be")
        return Sheet(path, path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def split(text: str, separator: str) -> Iterator[tuple[list[str], str]]:
    """Yield the rows of a CSV text: cells as they are written, with quotes, and the line's end."""
    cell = re.compile(
        rf'("(?:[^"]|"")*(?:"|\Z)[^{separator}\r\n]*|[^{separator}\r\n]*)({separator}|\r\n|\n|\r|\Z)'
    )
    cells: list[str] = []
    at = 0
    while at < len(text) or cells:
        found = cell.match(text, at)
        assert found is not None  # any text is a cell
        cells.append(found[1])
        at = found.end()
        if found[2] != separator:
            yield cells, found[2]
            cells = []


def plain(cell: str) -> str:
    """Return what a cell says."""
    if not cell.startswith('"'):
        return cell
    parts = re.fullmatch(r'"((?:[^"]|"")*)"?(.*)', cell, re.DOTALL)
    assert parts is not None  # any text after a quote
    return parts[1].replace('""', '"') + parts[2]


def quoted(text: str, separator: str = ",") -> str:
    """Return a cell that says this."""
    if any(mark in text for mark in (separator, '"', "\r", "\n")) or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


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
