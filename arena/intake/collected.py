"""The records in a folder that submissions were collected into: a roster, and a marker.

The roster is for people. The marker, a line of JSON for the folder and one for each submission, is
read when something is collected into the folder again.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from arena.common.errors import InputError, UnreadableError
from arena.common.files import write_file
from arena.common.text import harmless_cell, one_line

COLLECTED = ".arena-collect.json"
"""What a folder that submissions were collected into has, and no other."""

ROSTER = "roster.csv"
ROSTER_CSV = [
    *("name", "id", "e-mail", "group", "submitted", "late", "path", "interface", "status"),
    "system",
]
"""Columns of the roster; a row for each person. `system` says whose number `id` is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedEntry:
    """The submission of one person or group, as it was collected."""

    people: tuple[tuple[str, str, str], ...]
    """Name, id and e-mail of each."""

    identities: tuple[str, ...]
    """What tells each of them from all others."""

    where: str
    """Where it lay in the export."""

    group: str = ""
    submitted: str = ""
    late: bool | None = None

    path: str = ""
    """Its folder, relative to the one collected into; empty if it has none."""

    files: Mapping[str, str] = field(default_factory=dict)
    """Digests by name of the files that were written to it."""

    interface: str = ""
    status: str = ""
    """`ok`, or `refused:` and why; then perhaps that something newer was not taken."""

    change: str = ""
    """What became of it this time: new, replaced, as before, kept."""

    kept_because: str = ""
    """Why it was kept, a clause, if `status` does not say it."""

    notes: tuple[str, ...] = ()
    """What was done with it, a sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The first line of the marker, about the whole folder."""

    kind: str = ""
    """The system that all exports came from."""

    roster: str = ""
    """Digest of the roster as it was written."""


def roster_rows(entries: Iterable[CollectedEntry], system: str = "") -> Iterator[dict[str, str]]:
    """Yield the roster's rows, one for each person; all identifiers are the system's."""
    for entry in entries:
        for name, identifier, email in entry.people:
            values = (
                *(name, identifier, email, entry.group, entry.submitted),
                {True: "yes", False: "no", None: ""}[entry.late],
                *(entry.path, entry.interface, entry.status, system if identifier else ""),
            )
            yield dict(zip(ROSTER_CSV, map(one_line, values), strict=True))


def roster_csv(entries: Iterable[CollectedEntry], system: str = "") -> bytes:
    """The roster as a CSV file."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ROSTER_CSV, lineterminator="\n")
    writer.writeheader()
    for row in roster_rows(entries, system):
        writer.writerow({column: harmless_cell(cell) for column, cell in row.items()})
    return text.getvalue().encode()


def marker_line(of: Head | CollectedEntry) -> str:
    """Return a record as a line of the marker."""
    return json.dumps(asdict(of)) + "\n"


def write_marker(into: Path, head: Head, entries: Iterable[CollectedEntry]) -> None:
    """Write the marker of a folder anew. Raises OSError."""
    write_file(into / COLLECTED, "".join([marker_line(head), *map(marker_line, entries)]))


def read_marker(into: Path) -> tuple[Head, tuple[CollectedEntry, ...]]:
    """Return the marker's head and entries, of one path the last. Raises InputError if edited."""
    path = into / COLLECTED
    entries: dict[object, CollectedEntry] = {}
    if not path.exists():
        return Head(), ()
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines()
        head = Head(**{key: str(value) for key, value in json.loads(first).items()})
        for line in lines:
            plain = json.loads(line)
            plain["people"] = tuple((str(n), str(i), str(e)) for n, i, e in plain["people"])
            plain["identities"] = tuple(map(str, plain["identities"]))
            plain["notes"] = tuple(map(str, plain["notes"]))
            plain["files"] = {str(name): str(digest) for name, digest in plain["files"].items()}
            entry = CollectedEntry(**plain)
            if entry.path != Path(entry.path).name or entry.path == "..":
                raise ValueError
            entries[entry.path or entry.identities] = entry
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path}: was changed by hand; collect into another folder") from None
    return head, tuple(entries.values())


def folders_named(at: Callable[[str], None], marker: str) -> list[str]:
    """Return the folders that a marker names. Raises OSError, UnreadableError."""
    at(COLLECTED)
    try:
        entries = map(json.loads, Path(marker).read_text(encoding="utf-8").splitlines())
        return [entry["path"] for entry in entries if entry.get("path")]
    except (ValueError, AttributeError, TypeError, KeyError):
        raise UnreadableError(f"{COLLECTED} was changed by hand") from None


def digest(data: bytes) -> str:
    """Return what tells these bytes from any others."""
    return sha256(data).hexdigest()[:16]
