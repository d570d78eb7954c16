"""Exports that submissions arrive in: whose an export is, and what it says of each submission."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path

from arena.errors import InputError
from arena.intake.exports import canvas, classroom, gradescope, moodle, plain
from arena.intake.exports.handin import Export, Handin, Person, Picked, Rows
from arena.intake.files import IGNORED
from arena.intake.submission import is_one_bot
from arena.quoting import one_line

__all__ = ["Export", "Handin", "Person", "Picked", "course_rows", "read_export"]

SYSTEMS: tuple[Callable[[Path, Rows], Export | None], ...] = (
    gradescope.read,
    canvas.read,
    moodle.read,
    classroom.read,
)

MAX_LEVELS = 3
"""Folders around an export that are looked through."""


def read_export(folder: Path, lists: Iterable[Path] = (), *, unpacked: bool = False) -> Export:
    """The submissions in a folder, from the system whose export it is.

    `lists` are the course's own: Canvas's gradebook, Moodle's grading worksheet, GitHub
    Classroom's roster and grades; those that lie in the export are read too, but `lists` have the
    last word, and what somebody handed in is no list. In an archive that was unpacked, a folder
    around everything is no submission. Raises InputError, OSError.
    """
    rows = course_rows(lists)
    around = folder
    for _ in range(MAX_LEVELS):
        here = _rows_beside(around, rows) + rows
        for read in SYSTEMS:
            export = read(around, here)
            if export is not None:
                return export
        only = _only_folder(around)
        if only is None:
            break
        around = only
    only = _only_folder(folder) if unpacked else None
    while only is not None and not is_one_bot(only) and _holds_several(only):
        folder, only = only, _only_folder(only)
    export = plain.read(folder, rows)
    if export is None:
        raise InputError(f"{folder}: no submissions here")
    return export


def course_rows(paths: Iterable[Path]) -> Rows:
    """The rows of CSV files, by lower-case column name. Raises InputError."""
    rows: Rows = []
    for path in paths:
        try:
            with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
                for row in csv.DictReader(file):
                    rows.append({str(k or "").strip().casefold(): str(v or "").strip()
                                 for k, v in row.items()})  # fmt: skip
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None
        except csv.Error as error:
            why = one_line(str(error))
            raise InputError(f"{path}: cannot be read as a CSV file: {why}") from None
    return rows


def _rows_beside(folder: Path, official: Rows) -> Rows:
    """The rows of lists that somebody put into the export, but those of repositories told already.

    What is no list is no matter.
    """
    rows: Rows = []
    for path in sorted(folder.glob("*.csv")):
        if not path.is_file() or path.is_symlink() or path.name.startswith("."):
            continue
        if canvas.is_handed_in(path.name) or moodle.is_handed_in(path.name):
            continue
        try:
            rows.extend(course_rows([path]))
        except InputError:
            continue
    told = {row.get("student_repository_name", "").casefold() for row in official} - {""}
    return [row for row in rows if row.get("student_repository_name", "").casefold() not in told]


def _children(folder: Path) -> list[Path]:
    return [
        child
        for child in sorted(folder.iterdir())
        if not child.name.startswith(".") and child.name not in IGNORED
    ]


def _only_folder(folder: Path) -> Path | None:
    children = [child for child in _children(folder) if child.suffix not in plain.QUIET]
    if len(children) == 1 and children[0].is_dir() and not children[0].is_symlink():
        return children[0]
    return None


def _holds_several(folder: Path) -> bool:
    """Whether it is more likely a class than one submission: several folders, archives, bots."""
    return len([child for child in _children(folder) if child.suffix not in plain.QUIET]) > 1
