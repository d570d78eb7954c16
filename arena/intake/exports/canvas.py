"""Canvas: one folder of files whose names say whose they are.

`NAME_USER_ATTACHMENT_FILE`, `NAME_LATE_USER_ATTACHMENT_FILE`, and where names are hidden
`anon_ID_ATTACHMENT_FILE` and `LATE_anon_ID_ATTACHMENT_FILE`. A file handed in once more is called
`hw-1.py`, and so no longer what others import: here it gets its name back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from arena.intake.exports.handin import (
    Export,
    Handin,
    Person,
    Picked,
    Rows,
    are_most,
    claim_note,
    claimed,
    is_too_much,
)
from arena.intake.files import NO_FILES, Files, FolderFiles, is_text, listing
from arena.naming import ARCHIVES, SOURCES

NAME = "Canvas"
LIST = "Student and ID (Canvas's gradebook)"
LISTED_BY: tuple[set[str], ...] = ({"id", "student"},)
"""What people call the system."""

NAMED = re.compile(r"(?P<name>.+?)_(?P<late>LATE_)?(?P<user>\d+)_(?P<attachment>\d+)_(?P<file>.+)")
HIDDEN = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon_(?P<user>[A-Za-z0-9]+))_(?P<late2>LATE_)?"
    r"(?:\d+_)??(?P<attachment>\d{2,})_(?P<file>(?!\d{5,}_).+)"
)
TYPED = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon_(?P<user>[A-Za-z0-9]+)|.+?)_(?P<late2>LATE_)?"
    r"(?P<number>\d+_)?(?P<file>text|link)\.html"
)
AGAIN = re.compile(r"(?P<stem>.+)-(?P<times>\d{1,3})(?P<suffix>\.[A-Za-z0-9.]+)")
"""Files that nobody calls `x-1` on purpose: that is no name of a module."""


MIN_DIGITS = 3
"""Digits at least of the number of a file in Canvas; people number theirs with fewer."""


@dataclass(frozen=True, slots=True)
class _File:
    """One file and what its name says."""

    path: Path
    name: str
    user: str
    late: bool
    attachment: int
    original: str


def claims(tops: set[str], files: set[str], around: str) -> bool:
    """Return whether names at the top of a download are of such an export, see `System`.

    Most must be of several people: a number that all share is a year or a course.
    """
    found = [HIDDEN.fullmatch(name) or NAMED.fullmatch(name) for name in files]
    named = [match for match in found if match and len(match["attachment"]) >= MIN_DIGITS]
    return are_most(len(named), tops) and len({match["user"] for match in named}) > 1


def read(folder: Path, rows: Rows) -> Export | None:
    """The export in a folder, None if it is no such export. Raises OSError."""
    children = [
        child for child in listing(folder) if child.suffix != ".csv" or is_handed_in(child.name)
    ]
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
    listed = {row["id"]: row for row in rows if row.get("id") and "student" in row}
    unclear = claimed(by_user)
    handins = [
        _handin(files, listed, is_clear=user not in unclear) for (user, _), files in by_user.items()
    ]
    return Export(kind="Canvas", handins=tuple(handins), left_out=tuple(left_out))


def is_handed_in(name: str) -> bool:
    """Return True for a name that Canvas gives to files that somebody handed in."""
    return any(form.fullmatch(name) for form in (HIDDEN, NAMED, TYPED))


def _file(path: Path) -> _File | None:
    if not is_text(path.name) or path.is_symlink() or not path.is_file():
        return None
    match = HIDDEN.fullmatch(path.name) or NAMED.fullmatch(path.name)
    typed = None if match else TYPED.fullmatch(path.name)
    parts = (match or typed).groupdict() if match or typed else None  # type: ignore[union-attr]
    if parts is None:
        return None
    user = parts["user"] or (parts.get("number") or "").rstrip("_")
    late = bool(parts["late"] or parts.get("late2"))
    attachment = int(parts.get("attachment") or -1)
    return _File(path, parts["name"], user or parts["name"], late, attachment, parts["file"])


def _handin(files: list[_File], listed: dict[str, dict[str, str]], *, is_clear: bool) -> Handin:
    """All files of one person: those of the last attempt, each under the name it had."""
    first = files[0]
    row = listed.get(first.user, {}) if is_clear else {}
    login = row.get("sis login id", "")
    person = Person(
        name=_in_order(row.get("student", "")) or first.name,
        id=first.user if is_clear else "",
        email=login if "@" in login else "",
        key="" if is_clear else f"{first.name}_{first.user}",
    )
    handed = [file for file in files if file.attachment >= 0]
    newest: dict[str, _File] = {}
    again = {m["times"] for f in handed if f.original.lower().endswith((*SOURCES, *ARCHIVES))
             for m in [AGAIN.fullmatch(f.original)] if m}  # fmt: skip
    for file in sorted(handed, key=lambda file: file.attachment):
        newest[_first_name(file.original, again)] = file
    used = list(newest.values())
    contents: Files = NO_FILES
    problem = None
    if not handed:
        kind = "a link" if first.original == "link" else "text"
        problem = f"{kind} was typed into Canvas, no file handed in"
    elif is_too_much([file.path for file in used]):
        problem = "it is more than a submission may be"
    else:
        contents = Picked(
            {
                name: (FolderFiles(file.path.parent, (file.path.name,)), file.path.name)
                for name, file in newest.items()
            }
        )
    notes = [] if is_clear else [claim_note(first.user)]
    if older := [file.original for file in handed if file not in used]:
        notes.append(f"older than another of its files: {', '.join(older)}")
    return Handin(
        people=(person,),
        where=first.path.name + (f" … ({len(files)} files)" if len(files) > 1 else ""),
        files=contents,
        late=any(file.late for file in used or files),
        notes=tuple(notes),
        problem=problem,
    )


def _first_name(name: str, again: set[str]) -> str:
    """Return the name of a file before Canvas numbered it.

    Data files follow sources with the same number only: `weights-2.json` may be its own name.
    """
    match = AGAIN.fullmatch(name)
    return match["stem"] + match["suffix"] if match and match["times"] in again else name


def _in_order(name: str) -> str:
    """`Doe, Jane` as Jane Doe."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma else name.strip()
