"""Moodle: read its export, and fill in the grading worksheet of an assignment.

Folders (or files) of an export are named `First Last_ID_assignsubmission_file_`, those of groups
`Team 1-First Last_…`: only the worksheet's full name shows where a group's name ends. Team members
with equal copies become one group. The worksheet's column Identifier has the same ID; Moodle reads
only English column names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from html import escape
from pathlib import Path

from arena.common.errors import InputError
from arena.common.text import harmless_cell
from arena.courses.export import Attempt, CsvRows, Export, Person, drop_ids, loose, same_ids, taken
from arena.courses.gradebook import (
    Columns,
    CourseResults,
    Form,
    Gradebook,
    Listed,
    Sheet,
    points_of,
)
from arena.intake.files import NO_FILES, Files, LooseFiles, is_text, listing

NAME = "Moodle"
LIST = "Identifier and Full name (Moodle's grading worksheet)"
LISTED_BY: tuple[set[str], ...] = ({"identifier", "full name"}, {"identifier", "status"})

# The file's own name follows the first ID, and may itself have this form.
NAMED = re.compile(
    r"(?P<name>(?:(?!_\d+_assignsubmission_).)+)"
    r"_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<rest>.*))?",
    re.DOTALL,
)

TYPED = "text was typed into Moodle, no file handed in"


def claims(tops: set[str], files: set[str], around: str) -> bool:
    return sum(bool(NAMED.fullmatch(top)) for top in tops) * 2 > len(tops)


def read(folder: Path, rows: CsvRows) -> Export | None:
    listed = {
        re.sub(r"\D", "", row["identifier"]): row
        for row in rows
        if row.get("identifier") and ("full name" in row or "status" in row)
    }
    folders: list[Attempt] = []
    files: dict[tuple[str, str], list[tuple[Path, re.Match[str]]]] = defaultdict(list)
    left_out = []
    children = {
        child: NAMED.fullmatch(child.name) if is_text(child.name) else None
        for child in listing(folder)
        if child.suffix != ".csv" or is_handed_in(child.name)
    }
    unclear = same_ids((match["id"], match["name"]) for match in children.values() if match)
    for identifier in unclear:
        listed.pop(identifier, None)
    for child, match in children.items():
        if match is None or child.is_symlink():
            left_out.append(f"{child.name} (not named as Moodle names submissions)")
        elif child.is_dir():
            contents, problem = taken(child)
            folders.append(_attempt(child, match, contents, problem, listed))
        else:
            files[match["id"], match["name"]].append((child, match))
    attempts = [*folders, *(_loose(found, listed) for found in files.values())]
    attempts = [drop_ids(attempt, unclear) for attempt in attempts]
    if len(left_out) * 2 >= len(children):
        return None
    # typed text counts only if no file was handed in
    with_file = {attempt.people[0].identity for attempt in attempts if attempt.problem != TYPED}
    attempts = [
        each
        for each in attempts
        if each.problem != TYPED or each.people[0].identity not in with_file
    ]
    return Export(kind="Moodle", attempts=tuple(_teams(attempts)), left_out=tuple(left_out))


def is_handed_in(name: str) -> bool:
    return NAMED.fullmatch(name) is not None


def _attempt(
    path: Path,
    match: re.Match[str],
    contents: Files,
    problem: str | None,
    listed: dict[str, dict[str, str]],
) -> Attempt:
    row = listed.get(match["id"], {})
    name = row.get("full name", "").strip() or match["name"]
    group, hyphen, _ = match["name"].rpartition(f"-{name}")
    if name.casefold() == "participant":  # Moodle hid the names
        name = f"{name} {match['id']}"
    status = row.get("status", "")
    is_file = match["kind"] == "file"
    number = re.search(r"\d+", match["rest"] or "") if path.is_dir() else None
    person = Person(name=name, id=match["id"], email=row.get("email address", "").strip())
    return Attempt(
        people=(person,),
        where=path.name,
        files=contents if is_file else NO_FILES,
        group=group if hyphen else "",
        late=bool(re.search(r"\blate\b", status, re.IGNORECASE)) if status else None,
        age=float(number[0]) if number and len(number[0]) < 9 else 0.0,
        problem=problem if is_file else TYPED,
    )


def _loose(found: list[tuple[Path, re.Match[str]]], listed: dict[str, dict[str, str]]) -> Attempt:
    handed = {m["rest"]: path for path, m in found if m["kind"] == "file" and m["rest"]}
    path, match = next(((p, m) for p, m in found if p in handed.values()), found[0])
    contents, problem = loose(handed)
    if problem is None:
        visible = {name: there for name, there in handed.items() if not name.startswith(".")}
        contents = LooseFiles(visible)
    return _attempt(path, match, contents, problem, listed)


def _teams(attempts: list[Attempt]) -> list[Attempt]:
    teams: dict[object, list[Attempt]] = {}
    for number, attempt in enumerate(attempts):
        alone = number if not attempt.group or attempt.problem else None
        files = attempt.files
        same = tuple((name, files.read(name)) for name in files.names) if alone is None else ()
        teams.setdefault((alone, attempt.group, same), []).append(attempt)
    return [
        replace(team[0], people=tuple(p for attempt in team for p in attempt.people))
        for team in teams.values()
    ]


HEADER = (
    *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"),
    *("Grade can be changed", "Last modified (submission)", "Last modified (grade)"),
    "Feedback comments",
)

PARTICIPANT = "Participant "  # Precedes the Identifier.
NEVER = "-"  # Time of an event that did not happen.


def _rows(results: CourseResults, form: Form, remarks: list[str]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [HEADER]
    for graded in results.people:
        person = graded.person
        identifier = person.id_in(NAME)
        if not identifier.isdecimal():
            remarks.append(f"not in the worksheet, as no Moodle identifier is known: {person.name}")
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
            "no Moodle identifier is known for anybody: name the assignment's worksheet with "
            "--gradebook, or enter bots that arena collect copied from Moodle's export"
        )
    return rows


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
)
