"""From an export to a folder of bots: an entry for each person or group, and a roster of them."""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

from arena.errors import InputError, PathError, UnreadableError, unwritable
from arena.intake.archive_account import Allowance
from arena.intake.collected import (
    COLLECTED,
    ROSTER,
    CollectedEntry,
    Head,
    digest,
    marker_line,
    read_marker,
    roster_csv,
    write_marker,
)
from arena.intake.collected_folders import remove, take_in
from arena.intake.duplicates import same_files
from arena.intake.exports import Export, Handin, read_export
from arena.intake.files import (
    IGNORED,
)
from arena.intake.packed import unpack
from arena.naming import HOUSE, archive_stem, is_archive, is_unopened_archive, numbered, plain_name
from arena.quoting import one_line
from arena.writing import write_file

EXPORT_FILES = 200_000
EXPORT_BYTES = 1 << 30
"""Files and bytes that may come out of a class's archive, and 20 bytes more for each of it."""

MAX_NAME = 40
MAX_ID = 12
"""Characters of a name and of an identifier in a folder's name: a contest shows 60."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """A folder after an export was collected into it."""

    kind: str
    """The system the export is from."""

    entries: tuple[CollectedEntry, ...]
    """Those of this export, in its order."""

    before: tuple[CollectedEntry, ...]
    """Those of earlier exports that are not in this one."""

    left_out: tuple[str, ...]
    """What is in the export and was not collected, and why."""

    remarks: tuple[str, ...] = ()
    """What there is to say of the folder, a sentence each."""


def collect(path: Path, into: Path, lists: Iterable[Path] = ()) -> Collected:
    """Collect the submissions of an export, a folder or an archive, into a folder.

    A folder that was collected into before is brought up to date: what changed is replaced, what
    somebody changed by hand there stays, and so do submissions that this export does not hold.
    Files that were only added there by hand stay beside a new submission, but compiled ones go:
    they are made from the old one. The roster is written anew, and one that was edited put aside.
    Raises InputError, also for a folder that holds other things or another system's submissions.
    """
    _refuse(path, into)
    with _opened_export(path) as (folder, damaged):
        try:
            export = read_export(folder, lists)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None
        except PathError as error:  # of an archive it is a path where that was unpacked
            raise PathError(path / error.path.relative_to(folder), error.problem) from None
        try:
            return _collect(export, into, damaged)
        except OSError as error:
            raise unwritable(into, error) from None


def _refuse(path: Path, into: Path) -> None:
    """Raise InputError for paths that nothing can be collected from or into."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if path.is_file() and not is_archive(path.name):
        what = "a .zip" if is_unopened_archive(path.name) else "a folder or a .zip"
        raise InputError(f"{path}: not an export that is read; expected {what}")
    if path.is_dir() and into.resolve().is_relative_to(path.resolve()):
        raise InputError(f"{into}: lies in the export itself; name another folder with --into")
    if into.exists() and not into.is_dir():
        raise InputError(f"{into}: not a folder; name another with --into")
    if into.is_dir() and not (into / COLLECTED).is_file():
        strange = sorted(child.name for child in into.iterdir())
        if strange:
            raise InputError(
                f"{into}: holds {one_line(strange[0])}, which was not collected; "
                "name another folder with --into"
            )


@contextmanager
def _opened_export(path: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The folder of an export, unpacked if it is none, and what could not be unpacked."""
    if path.is_dir():
        yield path, ()
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / (plain_name(archive_stem(path.name)) or "export")
        try:
            folder.mkdir()
            size = EXPORT_BYTES + 20 * path.stat().st_size
            left_out = unpack(path, folder, Allowance(files=EXPORT_FILES, size=size))
        except UnreadableError as error:
            raise InputError(f"{path}: {error}") from None
        except OSError as error:
            raise InputError(f"{path}: cannot be unpacked ({error.strerror})") from None
        yield folder, left_out


def _collect(export: Export, into: Path, damaged: tuple[str, ...]) -> Collected:
    into.mkdir(parents=True, exist_ok=True)
    head, before = read_marker(into)
    if head.kind and head.kind != export.kind:
        raise InputError(
            f"{into}: was collected from {_called(head.kind)}, and this is {_called(export.kind)}: "
            "people cannot be told apart; name another folder with --into"
        )
    head = replace(head, kind=export.kind)
    if not (into / COLLECTED).exists():
        write_marker(into, head, ())
    chosen, older = _newest(export.handins)
    previous = _matched(chosen, before)
    there = {one.identity for handin in chosen for one in handin.people}
    left = [entry for entry in before if entry not in previous.values()]
    kept = [entry for entry in left if not there.issuperset(entry.identities)]
    removed = [remove(into, entry) for entry in left if entry not in kept]
    names = _names(chosen, previous, {child.name for child in into.iterdir()})
    entries: list[CollectedEntry] = []
    for number, handin in enumerate(chosen):
        entries.append(take_in(handin, into, names[number], previous.get(number)))
        with (into / COLLECTED).open("a", encoding="utf-8") as marker:
            marker.write(marker_line(entries[-1]))
    roster = roster_csv((*kept, *entries), export.kind)
    remarks = _put_aside(into, head, roster)
    if before and not previous:
        remarks += (
            f"nobody in this export was in {into} before: "
            "if it is another course's, collect it into a folder of its own",
        )
    remarks += tuple(same_files({entry.path: entry.files for entry in (*kept, *entries)}))
    write_file(into / ROSTER, roster, hidden=True)
    write_marker(into, replace(head, roster=digest(roster)), (*kept, *entries))
    return Collected(
        kind=export.kind,
        entries=tuple(entries),
        before=tuple(kept),
        left_out=tuple(map(one_line, (*damaged, *export.left_out, *older, *removed))),
        remarks=remarks,
    )


def _called(kind: str) -> str:
    """An export of that kind, for people."""
    return "no system's export" if kind == "folder" else f"an export of {kind}"


def _newest(handins: Sequence[Handin]) -> tuple[list[Handin], list[str]]:
    """The newest usable attempt of everybody, in the export's order, and what else there is."""
    chosen: dict[int, Handin] = {}
    older = []
    seen: set[str] = set()
    order = sorted(range(len(handins)), key=lambda n: (bool(handins[n].problem), -handins[n].age))
    for number in order:
        handin = handins[number]
        people = {one.identity: one for one in handin.people if one.identity not in seen}
        seen.update(people)
        if people:
            chosen[number] = replace(handin, people=tuple(people.values()))
        else:
            who = ", ".join(one.name for one in handin.people)
            older.append(f"{handin.where} ({who} handed in again)")
    return [chosen[number] for number in sorted(chosen)], older


def _matched(
    chosen: Sequence[Handin], before: Iterable[CollectedEntry]
) -> dict[int, CollectedEntry]:
    """The entries of earlier exports by the number of the submission that follows them."""
    owner = {identity: entry for entry in before for identity in entry.identities}
    matched: dict[int, CollectedEntry] = {}
    for number, handin in enumerate(chosen):
        for one in handin.people:
            entry = owner.get(one.identity)
            if entry is not None and entry not in matched.values():
                matched[number] = entry
                break
    return matched


def _names(
    chosen: Sequence[Handin], previous: dict[int, CollectedEntry], there: Iterable[str]
) -> list[str]:
    """A folder's name for each; unique whatever the case, and stable from export to export."""
    taken = {name.casefold() for name in (*there, *HOUSE, *IGNORED, ROSTER, COLLECTED)}
    taken |= {entry.path.casefold() for entry in previous.values()}
    names = []
    for number, handin in enumerate(chosen):
        name = previous[number].path if number in previous else ""
        if not name:
            text = handin.group or handin.people[0].name
            plain = plain_name(unicodedata.normalize("NFC", text))[:MAX_NAME].strip(" .")
            plain = plain or "submission"
            with_id = f"{plain} ({plain_name(handin.people[0].id)[:MAX_ID]})"
            candidates = [plain, *([with_id] if handin.people[0].id else [])]
            others = islice(numbered(plain), 1, None)
            name = next(n for n in chain(candidates, others) if n.casefold() not in taken)
        taken.add(name.casefold())
        names.append(name)
    return names


def _put_aside(into: Path, head: Head, roster: bytes) -> tuple[str, ...]:
    """Give a roster that was edited another name, before it is written anew; says so."""
    path = into / ROSTER
    if not path.exists() or digest(path.read_bytes()) in (head.roster, digest(roster)):
        return ()
    aside, number = into / "roster.edited.csv", 2
    while aside.exists():
        aside, number = into / f"roster.edited-{number}.csv", number + 1
    path.rename(aside)
    return (f"{path} was edited: that is {aside.name} now; add facts with --roster",)
