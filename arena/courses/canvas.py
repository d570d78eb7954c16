"""Canvas: read its export, and fill in its gradebook, whose rows it matches by ID.

An export is a folder of files, `NAME_USER_ATTACHMENT_FILE` or `NAME_LATE_USER_ATTACHMENT_FILE`;
with hidden names `anon_ID_ATTACHMENT_FILE` or `LATE_anon_ID_ATTACHMENT_FILE`. Canvas renames a file
that is handed in again to `hw-1.py`; Arena restores its first name, as other files import it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from arena.common.errors import InputError
from arena.common.names import ARCHIVES, SOURCES
from arena.common.text import harmless_cell, one_line
from arena.courses.export import Attempt, CsvRows, Export, Person, drop_ids, loose, same_ids
from arena.courses.gradebook import (
    HOW_TO_OWN,
    Columns,
    CourseResults,
    Form,
    Gradebook,
    Listed,
    Sheet,
    in_order,
    number,
    points_of,
    without_id,
)
from arena.intake.files import is_text, listing

NAME = "Canvas"
LIST = "Student and ID (Canvas's gradebook)"
LISTED_BY: tuple[set[str], ...] = ({"id", "student"},)
NAMED = re.compile(r"(?P<name>.+?)_(?P<late>LATE_)?(?P<user>\d+)_(?P<attachment>\d+)_(?P<file>.+)")
HIDDEN = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon_(?P<user>[A-Za-z0-9]+))_(?P<late2>LATE_)?"
    r"(?:\d+_)??(?P<attachment>\d{2,})_(?P<file>(?!\d{5,}_).+)"
)
TYPED = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon_(?P<user>[A-Za-z0-9]+)|.+?)_(?P<late2>LATE_)?"
    r"(?P<number>\d+_)?(?P<file>text|link)\.html"
)
# `x-1` is no module name, so Canvas added the number.
AGAIN = re.compile(r"(?P<stem>.+)-(?P<times>\d{1,3})(?P<suffix>\.[A-Za-z0-9.]+)")
MIN_DIGITS = 3  # Fewest digits of Canvas's file numbers; people's own numbers are shorter.


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    name: str
    user: str
    late: bool
    attachment: int
    original: str


def claims(tops: set[str], files: set[str], around: str) -> bool:
    """See `System`. Requires several people: a number shared by all is no person's."""
    found = [HIDDEN.fullmatch(name) or NAMED.fullmatch(name) for name in files]
    named = [match for match in found if match and len(match["attachment"]) >= MIN_DIGITS]
    return len(named) * 2 > len(tops) and len({match["user"] for match in named}) > 1


def read(folder: Path, rows: CsvRows) -> Export | None:
    found = listing(folder)
    children = [child for child in found if child.suffix != ".csv" or is_handed_in(child.name)]
    by_user: dict[tuple[str, str], list[_File]] = {}
    left_out = []
    for child in children:
        file = _file(child)
        if file is None:
            left_out.append(f"{child.name} (not named as Canvas names submissions)")
        else:
            by_user.setdefault((file.user, file.name), []).append(file)
    if len(left_out) * 2 >= len(children):
        return None
    unclear = same_ids(by_user)
    students = [row for row in rows if "student" in row]
    listed = {row["id"]: row for row in students if row.get("id") not in {*unclear, "", None}}
    attempts = [drop_ids(_attempt(files, listed), unclear) for files in by_user.values()]
    return Export(kind="Canvas", attempts=tuple(attempts), left_out=tuple(left_out))


def is_handed_in(name: str) -> bool:
    return _match(name) is not None


def _match(name: str) -> re.Match[str] | None:
    return HIDDEN.fullmatch(name) or NAMED.fullmatch(name) or TYPED.fullmatch(name)


def _file(path: Path) -> _File | None:
    match = _match(path.name)
    if match is None or not is_text(path.name) or path.is_symlink() or not path.is_file():
        return None
    parts = match.groupdict()
    user = parts["user"] or (parts.get("number") or "").rstrip("_")
    late = bool(parts["late"] or parts.get("late2"))
    attachment = int(parts.get("attachment") or -1)
    return _File(path, parts["name"], user or parts["name"], late, attachment, parts["file"])


def _attempt(files: list[_File], listed: dict[str, dict[str, str]]) -> Attempt:
    first = files[0]
    row = listed.get(first.user, {})
    login = row.get("sis login id", "")
    name, email = in_order(row.get("student", "")), login if "@" in login else ""
    person = Person(name=name or first.name, id=first.user, email=email)
    handed = [file for file in files if file.attachment >= 0]
    newest: dict[str, _File] = {}
    again = {m["times"] for f in handed if f.original.lower().endswith((*SOURCES, *ARCHIVES))
             for m in [AGAIN.fullmatch(f.original)] if m}  # fmt: skip
    for file in sorted(handed, key=lambda file: file.attachment):
        name = file.original
        # data files lose a number only if sources do: `weights-2.json` may be an original name
        if (match := AGAIN.fullmatch(name)) and match["times"] in again:
            name = match["stem"] + match["suffix"]
        newest[name] = file
    used = list(newest.values())
    contents, problem = loose({name: file.path for name, file in newest.items()})
    if not handed:
        kind = "a link" if first.original == "link" else "text"
        problem = f"{kind} was typed into Canvas, no file handed in"
    older = ", ".join(file.original for file in handed if file not in used)
    return Attempt(
        people=(person,),
        where=first.path.name + (f" … ({len(files)} files)" if len(files) > 1 else ""),
        files=contents,
        late=any(file.late for file in used or files),
        notes=(f"older versions left out: {older}",) if older else (),
        problem=problem,
    )


# Columns before the assignments.
HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS = "Points Possible"  # Begins, after four spaces, the row with the best grades.
TEST_STUDENT = "Student, Test"  # Canvas's own test student.
ASSIGNMENT = re.compile(r"(?P<title>.+) \(\d+\)")  # Column of an assignment, with Canvas's number.

# Cells that a grade must not replace, and why.
LEFT = {"ex": "the student is excused", "n/a": "the assignment is not assigned to the student"}


def _rows(results: CourseResults, form: Form, remarks: list[str]) -> list[tuple[str, ...]]:
    remarks += without_id(results, NAME)
    if not any(graded.is_listed for graded in results.people):
        remarks.append(f"Canvas finds nobody without an ID; add --gradebook; or {HOW_TO_OWN}")
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
            continue  # the row on manual posting, or no student
        login = cells["sis login id"]
        people.append(
            Listed(
                number=row,
                name=name,
                own=(cells["id"],),
                ids=(cells["sis user id"], cells["integration id"]),
                emails=(login, cells["sis user id"]),
                logins=(login, login.partition("@")[0]),
            )
        )
        if (why := LEFT.get(sheet.cell(row, grade).strip().casefold())) is not None:
            locked[row] = why
    if not maximum:
        raise InputError(
            f"{sheet.path}: {one_line(sheet.header[grade], 60)} has no Points Possible; "
            "set them in Canvas and export the gradebook again"
        )
    return Columns(rows=people, grade=grade, locked=locked, maximum=maximum)


def _assignment(sheet: Sheet, wanted: str) -> int:
    matches = {n: ASSIGNMENT.fullmatch(name.strip()) for n, name in enumerate(sheet.header)}
    titles = {number: match["title"] for number, match in matches.items() if match}
    known = ", ".join(one_line(sheet.header[number], 60) for number in titles) or "none"
    if not wanted:
        if len(titles) != 1:
            raise InputError(
                f"{sheet.path}: choose the column to fill in with --assignment NAME; "
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
)
