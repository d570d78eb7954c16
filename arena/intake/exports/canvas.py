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
    Rows,
    claimed,
    loose,
    unclaimed,
)
from arena.intake.files import is_text, listing
from arena.naming import ARCHIVES, SOURCES

NAME = "Canvas"
"""What people call the system."""

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
    """See `System`. Several people must be in it: a number that all share is a year or a course."""
    found = [HIDDEN.fullmatch(name) or NAMED.fullmatch(name) for name in files]
    named = [match for match in found if match and len(match["attachment"]) >= MIN_DIGITS]
    return len(named) * 2 > len(tops) and len({match["user"] for match in named}) > 1


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
    unclear = claimed(by_user)
    listed = {
        row["id"]: row
        for row in rows
        if "student" in row and row.get("id") not in {*unclear, "", None}
    }
    handins = [unclaimed(_handin(files, listed), unclear) for files in by_user.values()]
    return Export(kind="Canvas", handins=tuple(handins), left_out=tuple(left_out))


def is_handed_in(name: str) -> bool:
    """Return True for a name that Canvas gives to files that somebody handed in."""
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


def _handin(files: list[_File], listed: dict[str, dict[str, str]]) -> Handin:
    """All files of one person: those of the last attempt, each under the name it had."""
    first = files[0]
    row = listed.get(first.user, {})
    login = row.get("sis login id", "")
    person = Person(
        name=_in_order(row.get("student", "")) or first.name,
        id=first.user,
        email=login if "@" in login else "",
    )
    handed = [file for file in files if file.attachment >= 0]
    newest: dict[str, _File] = {}
    again = {m["times"] for f in handed if f.original.lower().endswith((*SOURCES, *ARCHIVES))
             for m in [AGAIN.fullmatch(f.original)] if m}  # fmt: skip
    for file in sorted(handed, key=lambda file: file.attachment):
        name = file.original
        # data follow sources with the same number only: `weights-2.json` may be its own name
        if (match := AGAIN.fullmatch(name)) and match["times"] in again:
            name = match["stem"] + match["suffix"]
        newest[name] = file
    used = list(newest.values())
    contents, problem = loose({name: file.path for name, file in newest.items()})
    if not handed:
        kind = "a link" if first.original == "link" else "text"
        problem = f"{kind} was typed into Canvas, no file handed in"
    older = ", ".join(file.original for file in handed if file not in used)
    return Handin(
        people=(person,),
        where=first.path.name + (f" … ({len(files)} files)" if len(files) > 1 else ""),
        files=contents,
        late=any(file.late for file in used or files),
        notes=(f"older than another of its files: {older}",) if older else (),
        problem=problem,
    )


def _in_order(name: str) -> str:
    """`Doe, Jane` as Jane Doe."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma else name.strip()
