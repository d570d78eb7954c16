"""Exports that submissions arrive in: whose an export is, and what it says of each submission."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from arena.errors import InputError, PathError, UnreadableError
from arena.intake.confined import EXPORT, confined
from arena.intake.exports import canvas, classroom, gradescope, moodle, plain
from arena.intake.exports.handin import Export, Handin, Person, Picked, Rows, System
from arena.intake.folders import hides_bot, only_folder, read_folder
from arena.quoting import one_line, plain_cell

__all__ = ["Export", "Handin", "Person", "Picked", "course_rows", "read_export"]

SYSTEMS: tuple[System, ...] = (gradescope, canvas, moodle, classroom)
"""The systems whose exports are read. A further one is a module of this package, named here."""

MAX_LEVELS = 3
"""Folders around an export that are looked through."""


def a_list() -> str:
    """Return what a course's own list is, for people."""
    *most, last = (system.LIST for system in SYSTEMS if system.LIST)
    return f"a CSV file with the columns {', '.join(most)}, or {last}"


def read_export(folder: Path, lists: Iterable[Path] = ()) -> Export:
    """The submissions in a folder, from the system whose export it is.

    `lists` are the course's own: Canvas's gradebook, Moodle's grading worksheet, GitHub
    Classroom's roster and grades; those that lie in the export are read too, but `lists` have the
    last word, and what somebody handed in is no list. A folder without a system's marks holds a
    submission in each child, unless its files show that all of it is one. Raises InputError, for
    something in the folder PathError, and OSError.
    """
    rows = [row for path in lists for row in _listed(path)]
    around = folder
    for _ in range(MAX_LEVELS):
        here = _rows_beside(around, rows) + rows
        for system in SYSTEMS:
            export = system.read(around, here)
            if export is not None:
                return _with_hidden(export, around)
        only = only_folder(around)
        if only is None:
            break
        around = only
    reading = read_folder(folder)
    if not reading.is_one or reading.is_certain:
        folder = folder / reading.below
    if reading.is_certain:
        return plain.read_one(folder)
    export = plain.read(folder, rows)
    if export is None:
        raise PathError(folder, "no submissions here")
    return _with_hidden(export, folder)


def _with_hidden(export: Export, folder: Path) -> Export:
    """Return an export that also says which bots in its folder are hidden. Raises OSError."""
    hidden = [child.name for child in sorted(folder.iterdir()) if hides_bot(child)]
    more = [f"{name} (hidden, as its name begins with a dot; rename it)" for name in hidden]
    return replace(export, left_out=(*export.left_out, *more))


def _listed(path: Path) -> Rows:
    """Return the rows of a course's own list. Raises InputError for a file that is none."""
    rows = course_rows(path)
    known = [columns for system in SYSTEMS for columns in system.LISTED_BY]
    if not any(columns <= row.keys() for row in rows for columns in known):
        raise InputError(f"{path}: not a list that is read; expected {a_list()}")
    return rows


def course_rows(path: Path) -> Rows:
    """Return the rows of a CSV file, by lower-case column name. Raises InputError."""
    where = os.path.abspath(path)
    try:
        found = confined(read_rows, where, readable=[path], limits=EXPORT)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnreadableError as error:
        raise InputError(f"{path}: cannot be read as a CSV file: {error}") from None
    return [
        {key: plain_cell(value) for key, value in row.items() if isinstance(value, str)}
        for row in (found if isinstance(found, list) else ())
        if isinstance(row, dict)
    ]


def read_rows(at: Callable[[str], None], path: str) -> Rows:
    """The rows of a CSV file, by lower-case column name. Raises OSError, UnreadableError."""
    at("it")
    try:
        with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
            return [
                {str(k or "").strip().casefold(): str(v or "").strip() for k, v in row.items()}
                for row in csv.DictReader(file)
            ]
    except csv.Error as error:
        raise UnreadableError(one_line(str(error))) from None


def _rows_beside(folder: Path, official: Rows) -> Rows:
    """The rows of lists that somebody put into the export, but those of repositories told already.

    Anything but a list is ignored.
    """
    rows: Rows = []
    for path in sorted(folder.glob("*.csv")):
        if not path.is_file() or path.is_symlink() or path.name.startswith("."):
            continue
        if canvas.is_handed_in(path.name) or moodle.is_handed_in(path.name):
            continue
        try:
            rows.extend(course_rows(path))
        except InputError:
            continue
    told = {row.get("student_repository_name", "").casefold() for row in official} - {""}
    return [row for row in rows if row.get("student_repository_name", "").casefold() not in told]
