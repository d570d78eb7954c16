"""One submission as an export tells it, whichever system that comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from arena.common.errors import UnreadableError
from arena.common.text import one_line
from arena.intake.files import MAX_BYTES, MAX_FILES, NO_FILES, Files, LooseFiles, folder_files

NOTHING = "nothing was handed in"
TOO_MUCH = "it is more than a submission may be"

SheetRows = list[dict[str, str]]
"""Rows of the course's own lists, by lower-case column name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitter:
    """Somebody who handed in."""

    name: str
    """As the system calls them."""

    id: str = ""
    """The system's own identifier, empty if it is not told."""

    email: str = ""
    """Empty if it is not told."""

    key: str = ""
    """What tells them from others where neither identifier nor e-mail does."""

    @property
    def identity(self) -> str:
        """The same for two attempts of one person, different for two persons."""
        return self.key or self.id or self.email or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Handin:
    """One attempt of a person or a group."""

    people: tuple[Submitter, ...]
    """Who handed it in, at least one."""

    where: str
    """Where it lies in the export."""

    files: Files = NO_FILES
    """What was handed in, archives still packed."""

    group: str = ""
    """Name of the group, empty for a person alone."""

    submitted: str = ""
    """When, as YYYY-MM-DDTHH:MM:SS and offset; empty if it is not told."""

    late: bool | None = None
    """None if it is not told."""

    age: float = 0.0
    """Larger for a newer attempt of the same people."""

    notes: tuple[str, ...] = ()
    """What was done with it, a sentence each."""

    problem: str | None = None
    """Why there is nothing to take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The submissions in an export."""

    kind: str
    """The system it comes from."""

    handins: tuple[Handin, ...]
    """In the order of the export; of one person there may be several."""

    left_out: tuple[str, ...] = ()
    """What is no submission, as `path (why)`."""


def taken(folder: Path) -> tuple[Files, str | None]:
    """Return the files in a folder, or none and why."""
    try:
        files = folder_files(folder)
    except UnreadableError as error:
        return NO_FILES, one_line(str(error))
    return files, None if files.names else NOTHING


def loose(paths: Mapping[str, Path]) -> tuple[Files, str | None]:
    """Return files by names of their own, or none and why."""
    problem = None if paths else NOTHING
    if is_too_much([*paths.values()]):
        problem = TOO_MUCH
    return (LooseFiles(paths) if problem is None else NO_FILES), problem


def claimed(pairs: Iterable[tuple[str, str]]) -> set[str]:
    """Return the identifiers, of pairs with a name, that several names have: they are nobody's."""
    names: dict[str, set[str]] = {}
    for identifier, name in pairs:
        names.setdefault(identifier, set()).add(name)
    return {identifier for identifier, those in names.items() if identifier and len(those) > 1}


def unclaimed(
    handin: Handin, unclear: set[str], key: Callable[[Submitter], str] = "{0.name}_{0.id}".format
) -> Handin:
    """Return the same without the identifiers that others have too; the `key` replaces them."""
    ids = [person.id for person in handin.people if person.id in unclear]
    people = (
        replace(person, id="", key=key(person)) if person.id in unclear else person
        for person in handin.people
    )
    notes = (
        f"others have its identifier {one_line(each, 40)} too, so nobody is given it"
        for each in ids
    )
    return replace(handin, people=tuple(people), notes=(*notes, *handin.notes))


def is_too_much(paths: list[Path]) -> bool:
    """Return True for more files than one submission may have."""
    return len(paths) > MAX_FILES or sum(path.stat().st_size for path in paths) > MAX_BYTES


def when(text: str) -> tuple[str, float]:
    """A time as it is written down and as a number; the text itself and 0 if it is none."""
    form = r"\s*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,6})?\d*\s*(Z|UTC|[+-]\d\d:?\d\d)?\s*"
    if match := re.fullmatch(form, text):
        day, clock, _, zone = match.groups()
        zone = "" if zone is None else "+00:00" if zone in ("Z", "UTC") else zone
        try:
            time = datetime.fromisoformat(f"{day}T{clock}{zone}")
            exact = time if time.tzinfo else time.replace(tzinfo=UTC)
            return time.isoformat(), exact.timestamp() + float(match[3] or 0)
        except (ValueError, OverflowError):
            pass
    return one_line(text, 40), 0.0


class System(Protocol):
    """A course system, as a module of this package reads its exports."""

    NAME: str
    """What people call it."""

    LIST: str
    """The columns of its own list of a course, for people; empty if it has none that is read."""

    LISTED_BY: tuple[set[str], ...]
    """Columns by which one of its lists is known, in lower case."""

    def claims(self, tops: set[str], files: set[str], around: str) -> bool:
        """Return whether a download is such an export, by the names in it.

        `tops` are those at its top, `files` those of them that are files, `around` its own name.
        """

    def read(self, folder: Path, rows: SheetRows) -> Export | None:
        """Read a folder, with `rows` of the course's own lists; None if no such export.

        Raises OSError, PathError.
        """
