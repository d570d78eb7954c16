"""People, and their submissions in an export of any course system."""

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

NOTHING = "nothing was handed in"  # Last words of the status of someone without a file.
CsvRows = list[dict[str, str]]  # Rows of the course's lists, by lower-case column.


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person in an export or on a contest's roster. Texts are empty if unknown."""

    name: str
    id: str = ""
    system: str = ""
    """The course system that `id` belongs to."""

    email: str = ""
    group: str = ""
    submitted: str = ""
    late: bool | None = None
    penalty: float | None = None
    pseudonym: str = ""
    path: str = ""
    """Their submission's folder beside the roster, or their bot's name."""

    bot: str = ""
    status: str = ""
    """`ok`, or why the submission was refused."""

    key: str = ""
    """In an export: identifies somebody without identifier and e-mail, for all attempts."""

    @property
    def handed_in(self) -> bool:
        """Whether they handed in anything, usable or not."""
        return bool(self.path) or (bool(self.status) and not self.status.endswith(NOTHING))

    def id_in(self, system: str) -> str:
        """Return their identifier in a system; "" if it is known to be another's."""
        return self.id if self.system.casefold() in ("", system.casefold()) else ""

    @property
    def identity(self) -> str:
        return self.key or self.id or self.email or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt of a person or a group. Texts are empty if unknown."""

    people: tuple[Person, ...]
    where: str
    files: Files = NO_FILES
    """Archives among them are still packed."""

    group: str = ""
    submitted: str = ""
    """Time: YYYY-MM-DDTHH:MM:SS and offset."""

    late: bool | None = None
    age: float = 0.0
    """Larger for a newer attempt."""

    notes: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    kind: str
    attempts: tuple[Attempt, ...]
    """In the export's order, perhaps several of one person."""

    left_out: tuple[str, ...] = ()
    """Other files, as `path (why)`."""


def taken(folder: Path) -> tuple[Files, str | None]:
    """Return the files in a folder, or no files and the reason."""
    try:
        files = folder_files(folder)
    except UnreadableError as error:
        return NO_FILES, one_line(str(error))
    return files, None if files.names else NOTHING


def loose(paths: Mapping[str, Path]) -> tuple[Files, str | None]:
    """Return the `paths` as files, or no files and the reason."""
    size = sum(path.stat().st_size for path in paths.values())
    problem = None if paths else NOTHING
    if len(paths) > MAX_FILES or size > MAX_BYTES:
        problem = "it is larger than a submission may be"
    return (LooseFiles(paths) if problem is None else NO_FILES), problem


def same_ids(pairs: Iterable[tuple[str, str]]) -> set[str]:
    """Return identifiers that have several names, from (identifier, name) pairs."""
    names: dict[str, set[str]] = {}
    for identifier, name in pairs:
        names.setdefault(identifier, set()).add(name)
    return {identifier for identifier, those in names.items() if identifier and len(those) > 1}


def drop_ids(
    attempt: Attempt, unclear: set[str], key: Callable[[Person], str] = "{0.name}_{0.id}".format
) -> Attempt:
    """Return an attempt in which `key(person)` replaces `unclear` identifiers."""
    ids = [person.id for person in attempt.people if person.id in unclear]
    people = (
        replace(person, id="", key=key(person)) if person.id in unclear else person
        for person in attempt.people
    )
    notes = (
        f"other people have its identifier {one_line(each, 40)} too, so it is not used"
        for each in ids
    )
    return replace(attempt, people=tuple(people), notes=(*notes, *attempt.notes))


def when(text: str) -> tuple[str, float]:
    """Return a time in ISO format and as a timestamp; the text and 0 if it is no time."""
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
    """A module of this package that reads a course system's exports."""

    NAME: str
    LIST: str
    """Columns of course lists that the system reads, for messages; empty if none."""

    LISTED_BY: tuple[set[str], ...]
    """Sets of lower-case columns; each identifies such a list."""

    def claims(self, tops: set[str], files: set[str], around: str) -> bool:
        """Return True if a download's names show an export of this system.

        `tops` are its top names, `files` those that are files; `around` is its own name.
        """

    def read(self, folder: Path, rows: CsvRows) -> Export | None:
        """Return the export in a folder, or None if it is not this system's.

        `rows` are those of the course's lists. Raises OSError, PathError.
        """
