"""Read exports of course systems, and folders of submissions from elsewhere."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from arena.common.errors import InputError, PathError, UnreadableError
from arena.common.names import SOURCES, archive_stem, is_any_archive, is_archive
from arena.common.text import one_line, plain_cell
from arena.courses import canvas, github, gradescope, moodle
from arena.courses.export import Attempt, CsvRows, Export, Person, System, loose, taken
from arena.intake.archive import zip_names
from arena.intake.confined import EXPORT, confined
from arena.intake.files import Files, is_junk, is_text, listing
from arena.intake.folders import QUIET, arena_folder, hides_bot, only_folder, read_folder
from arena.intake.reading import At

# Modules of this package that read exports.
SYSTEMS: tuple[System, ...] = (gradescope, canvas, moodle, github)
NO_SYSTEM = "folder"  # Kind of an export that no course system made.
MAX_LEVELS = 3  # Folders around an export that are searched.


def a_list() -> str:
    *most, last = (system.LIST for system in SYSTEMS if system.LIST)
    return f"a CSV file with the columns {', '.join(most)}, or {last}"


def read_export(folder: Path, lists: Iterable[Path] = ()) -> Export:
    """Read the submissions in a folder with the system whose export it is.

    `lists`, see `a_list`, override those in the export. Without a system each child is a
    submission, unless the files prove that all are one. Raises InputError, OSError, PathError.
    """
    rows: CsvRows = []
    for path in lists:
        listed = course_rows(path)
        known = (columns for system in SYSTEMS for columns in system.LISTED_BY)
        if not any(columns <= row.keys() for columns in known for row in listed):
            raise InputError(f"{path}: not a list that Arena reads; expected {a_list()}")
        rows += listed
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
        return Export(kind=NO_SYSTEM, attempts=(_attempt(folder, folder.name, *taken(folder)),))
    return _with_hidden(_read_plain(folder), folder)


def _read_plain(folder: Path) -> Export:
    attempts, left_out = [], []
    for child in listing(folder):
        if not is_text(child.name):
            left_out.append(f"{child.name} (its name is not valid UTF-8)")
        elif child.is_symlink():
            left_out.append(f"{child.name} (a symbolic link)")
        elif (what := arena_folder(child)) is not None:
            left_out.append(f"{child.name} ({what})")
        elif child.is_dir():
            attempts.append(_attempt(child, child.name, *taken(child)))
        elif child.is_file() and (is_any_archive(child.name) or child.suffix in SOURCES):
            name = child.stem if child.suffix in SOURCES else archive_stem(child.name)
            attempts.append(_attempt(child, name, *loose({child.name: child})))
        elif child.suffix not in QUIET:
            left_out.append(f"{child.name} (not a .py, .ipynb, .zip, .tar.gz or folder)")
    if not attempts:
        raise PathError(folder, "no submissions here; name the folder or archive with all of them")
    return Export(kind=NO_SYSTEM, attempts=tuple(attempts), left_out=tuple(left_out))


def _attempt(path: Path, name: str, files: Files, problem: str | None) -> Attempt:
    person = Person(name=name, key=path.name)
    return Attempt(people=(person,), where=path.name, files=files, problem=problem)


def _with_hidden(export: Export, folder: Path) -> Export:
    hidden = [child.name for child in sorted(folder.iterdir()) if hides_bot(child)]
    more = [f"{name} (hidden, as its name begins with a dot; rename it)" for name in hidden]
    return replace(export, left_out=(*export.left_out, *more))


def course_rows(path: Path) -> CsvRows:
    """Return a CSV file's rows: cells by lower-case column name. Raises InputError."""
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


def read_rows(at: At, path: str) -> CsvRows:
    """Do the work of `course_rows` in a confined process.

    Raises OSError, UnreadableError.
    """
    at("it")
    try:
        with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
            return [
                {str(k or "").strip().casefold(): str(v or "").strip() for k, v in row.items()}
                for row in csv.DictReader(file)
            ]
    except csv.Error as error:
        raise UnreadableError(one_line(str(error))) from None


def _rows_beside(folder: Path, official: CsvRows) -> CsvRows:
    """Return the rows of lists in the export, except for repositories in `official`."""
    rows: CsvRows = []
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


def guess_export(path: Path) -> str | None:
    """Return "an export of SYSTEM" by a folder's or archive's names, or None."""
    system = None

    def inside(below: str) -> set[str]:
        return {f"{child.name}{'/' * child.is_dir()}" for child in (path / below).iterdir()}

    if path.is_dir():
        with suppress(OSError):
            system = _guess(inside, archive_stem(path.name))
    elif is_archive(path.name):
        with suppress(UnreadableError, OSError):
            system = confined(guess_packed, os.path.abspath(path), readable=[path])
    return f"an export of {system}" if system in [each.NAME for each in SYSTEMS] else None


def guess_packed(at: At, path: str) -> str | None:
    names = zip_names(Path(path))

    def inside(below: str) -> set[str]:
        rest = (name.removeprefix(below) for name in names if name.startswith(below))
        return {"".join(each.partition("/")[:2]) for each in rest}

    return _guess(inside, archive_stem(Path(path).name))


def _guess(inside: Callable[[str], set[str]], around: str) -> str | None:
    """Return the system whose export has these names, or None.

    `inside` returns the names in a folder, those of folders with `/`; `around` is its own name.
    """
    below = ""
    for _ in range(MAX_LEVELS):
        names = {name for name in inside(below) if _counts(name.rstrip("/"))}
        tops = {name.rstrip("/") for name in names}
        files = names & tops
        for system in SYSTEMS:
            if system.claims(tops, files, around):
                return system.NAME
        loud = {top for top in tops if PurePosixPath(top).suffix not in QUIET}
        if len(loud) != 1 or files & loud:
            return None
        (around,) = loud
        below += f"{around}/"
    return None


def _counts(top: str) -> bool:
    return bool(top) and not is_junk(top) and not top.endswith(".csv")
