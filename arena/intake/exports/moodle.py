"""Moodle: folders (or files) called `First Last_ID_assignsubmission_file_`.

Where groups are used, the group comes first (`Team 1-First Last`); a hyphen may as well be part of
a name, so a group is only told where the grading worksheet has the full name. Team members have a
copy each: those become one group.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from arena.intake.exports.handin import (
    Export,
    Handin,
    Person,
    Rows,
    claimed,
    loose,
    taken,
    unclaimed,
)
from arena.intake.files import NO_FILES, Files, LooseFiles, is_text, listing

NAME = "Moodle"
"""What people call the system."""

LIST = "Identifier and Full name (Moodle's grading worksheet)"
LISTED_BY: tuple[set[str], ...] = ({"identifier", "full name"}, {"identifier", "status"})

NAMED = re.compile(
    r"(?P<name>(?:(?!_\d+_assignsubmission_).)+)"
    r"_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<rest>.*))?",
    re.DOTALL,
)
"""What comes after the first identifier is a file's own name, whatever it looks like."""

TYPED = "text was typed into Moodle, no file handed in"


def claims(tops: set[str], files: set[str], around: str) -> bool:
    """See `System`."""
    return sum(bool(NAMED.fullmatch(top)) for top in tops) * 2 > len(tops)


def read(folder: Path, rows: Rows) -> Export | None:
    """The export in a folder, None if it is no such export. Raises OSError."""
    listed = {
        re.sub(r"\D", "", row["identifier"]): row
        for row in rows
        if row.get("identifier") and ("full name" in row or "status" in row)
    }
    folders: list[Handin] = []
    files: dict[tuple[str, str], list[tuple[Path, re.Match[str]]]] = defaultdict(list)
    left_out = []
    children = {
        child: NAMED.fullmatch(child.name) if is_text(child.name) else None
        for child in listing(folder)
        if child.suffix != ".csv" or is_handed_in(child.name)
    }
    unclear = claimed((match["id"], match["name"]) for match in children.values() if match)
    for identifier in unclear:
        listed.pop(identifier, None)
    for child, match in children.items():
        if match is None or child.is_symlink():
            left_out.append(f"{child.name} (not named as Moodle names submissions)")
        elif child.is_dir():
            contents, problem = taken(child)
            folders.append(_handin(child, match, contents, problem, listed))
        else:
            files[match["id"], match["name"]].append((child, match))
    handins = [*folders, *(_loose(found, listed) for found in files.values())]
    handins = [unclaimed(handin, unclear) for handin in handins]
    if len(left_out) * 2 >= len(children):
        return None
    # a typed text counts only for those who handed in nothing else
    with_file = {handin.people[0].identity for handin in handins if handin.problem != TYPED}
    handins = [
        handin
        for handin in handins
        if handin.problem != TYPED or handin.people[0].identity not in with_file
    ]
    return Export(kind="Moodle", handins=tuple(_teams(handins)), left_out=tuple(left_out))


def is_handed_in(name: str) -> bool:
    """Return True for a name that Moodle gives to what somebody handed in."""
    return NAMED.fullmatch(name) is not None


def _handin(
    path: Path,
    match: re.Match[str],
    contents: Files,
    problem: str | None,
    listed: dict[str, dict[str, str]],
) -> Handin:
    row = listed.get(match["id"], {})
    name = row.get("full name", "").strip() or match["name"]
    group, hyphen, _ = match["name"].rpartition(f"-{name}")
    if name.casefold() == "participant":  # names are hidden
        name = f"{name} {match['id']}"
    status = row.get("status", "")
    is_file = match["kind"] == "file"
    number = re.search(r"\d+", match["rest"] or "") if path.is_dir() else None
    person = Person(name=name, id=match["id"], email=row.get("email address", "").strip())
    return Handin(
        people=(person,),
        where=path.name,
        files=contents if is_file else NO_FILES,
        group=group if hyphen else "",
        late=bool(re.search(r"\blate\b", status, re.IGNORECASE)) if status else None,
        age=float(number[0]) if number and len(number[0]) < 9 else 0.0,
        problem=problem if is_file else TYPED,
    )


def _loose(found: list[tuple[Path, re.Match[str]]], listed: dict[str, dict[str, str]]) -> Handin:
    """The files of one person in an export that has no folders."""
    handed = {m["rest"]: path for path, m in found if m["kind"] == "file" and m["rest"]}
    path, match = next(((p, m) for p, m in found if p in handed.values()), found[0])
    contents, problem = loose(handed)
    if problem is None:
        visible = {name: there for name, there in handed.items() if not name.startswith(".")}
        contents = LooseFiles(visible)
    return _handin(path, match, contents, problem, listed)


def _teams(handins: list[Handin]) -> list[Handin]:
    """The same, with members of a group who have the same files as one."""
    teams: dict[object, list[Handin]] = {}
    for number, handin in enumerate(handins):
        alone = number if not handin.group or handin.problem else None
        same = tuple((n, handin.files.read(n)) for n in handin.files.names) if alone is None else ()
        teams.setdefault((alone, handin.group, same), []).append(handin)
    return [
        replace(team[0], people=tuple(p for handin in team for p in handin.people))
        for team in teams.values()
    ]
