"""The records in a folder of collected submissions: a roster and a marker.

The roster is for people. The next `arena collect` reads the marker, which has a JSON line for the
folder and one for each submission.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from arena.common.errors import InputError, UnreadableError
from arena.common.files import write_file
from arena.common.plain import from_plain
from arena.common.text import harmless_csv, one_line
from arena.intake.reading import At

COLLECTED = ".arena-collect.json"  # The marker; no other folder has one.
ROSTER = "roster.csv"
# Columns of the roster, with a row for each person. `id` belongs to the course system `system`.
ROSTER_CSV = [
    *("name", "id", "e-mail", "group", "submitted", "late", "path", "interface", "status"),
    "system",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedEntry:
    """One person's or group's submission; `files` maps file names to digests."""

    people: tuple[tuple[str, str, str], ...]
    """Name, id and e-mail of each person."""

    identities: tuple[str, ...]
    where: str
    group: str = ""
    submitted: str = ""
    late: bool | None = None
    path: str = ""
    """Name of the submission's folder; empty if there is none."""

    files: Mapping[str, str] = field(default_factory=dict)
    interface: str = ""
    status: str = ""
    """`ok` or `refused: WHY`; a remark may follow that a newer attempt was not taken."""

    change: str = ""
    """What happened to the folder: `new`, `replaced`, `as before` or `kept`."""

    kept_because: str = ""
    """Why the folder was kept, if `status` does not say so."""

    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The marker's first line: course system, and digest of the roster."""

    kind: str = ""
    roster: str = ""


def roster_rows(entries: Iterable[CollectedEntry], system: str = "") -> Iterator[dict[str, str]]:
    """Yield a row for each person; all ids belong to `system`."""
    for entry in entries:
        for name, identifier, email in entry.people:
            values = (
                *(name, identifier, email, entry.group, entry.submitted),
                {True: "yes", False: "no", None: ""}[entry.late],
                *(entry.path, entry.interface, entry.status, system if identifier else ""),
            )
            yield dict(zip(ROSTER_CSV, map(one_line, values), strict=True))


def roster_csv(entries: Iterable[CollectedEntry], system: str = "") -> bytes:
    rows = roster_rows(entries, system)
    return harmless_csv(ROSTER_CSV, (row.values() for row in rows)).encode()


def marker_line(of: Head | CollectedEntry) -> str:
    return json.dumps(asdict(of)) + "\n"


def write_marker(into: Path, head: Head, entries: Iterable[CollectedEntry]) -> None:
    write_file(into / COLLECTED, "".join([marker_line(head), *map(marker_line, entries)]))


def read_marker(into: Path) -> tuple[Head, tuple[CollectedEntry, ...]]:
    """Return the marker's head and the last entry of each path. Raises InputError."""
    path = into / COLLECTED
    entries: dict[object, CollectedEntry] = {}
    if not path.exists():
        return Head(), ()
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines()
        head = Head(**{key: str(value) for key, value in json.loads(first).items()})
        for line in lines:
            entry = from_plain(CollectedEntry, json.loads(line))
            if entry.path != Path(entry.path).name or entry.path == "..":
                raise ValueError
            entries[entry.path or entry.identities] = entry
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path}: was changed by hand; collect into another folder") from None
    return head, tuple(entries.values())


def folders_named(at: At, marker: str) -> list[str]:
    """Return the folders that a marker lists. Raises OSError, UnreadableError."""
    at(COLLECTED)
    try:
        _, entries = read_marker(Path(marker).parent)
    except InputError:
        raise UnreadableError(f"{COLLECTED} was changed by hand") from None
    return [entry.path for entry in entries if entry.path]


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]
