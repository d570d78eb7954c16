"""Copy the submissions of an export to a folder of bots, with a roster.

Archives inside a submission are unpacked.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path, PurePosixPath

from arena.common.errors import InputError, MachineError, PathError, UnreadableError, writing
from arena.common.files import new_folder, write_file
from arena.common.names import (
    HOUSE,
    archive_stem,
    hint_for_path,
    is_any_archive,
    is_archive,
    is_source,
    is_unopened_archive,
    numbered,
    plain_name,
)
from arena.common.text import one_line, rough_duration
from arena.courses.export import Attempt, Export
from arena.courses.roster import same_files
from arena.courses.systems import NO_SYSTEM, read_export
from arena.intake.archive import packed_files, unpack
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
from arena.intake.files import (
    IGNORED,
    MAX_BYTES,
    MAX_FILES,
    NO_FILES,
    Files,
    LooseFiles,
    WithMore,
    folder_files,
    write_files,
)
from arena.intake.submission import read_submission

MOST_SECONDS = 600.0  # Longest wait of `wait_until_still`.
LOOK_SECONDS = 1.0  # Seconds between two looks.

# Path, inode, size and ctime (ns) of everything in a folder.
Seen = frozenset[tuple[str, int, int, int]]


def seen_in(folder: Path) -> Seen:
    paths = [str(folder)]
    for here, folders, files in os.walk(folder):
        paths += (os.path.join(here, name) for name in (*folders, *files))
    found = set()
    for path in paths:
        try:
            facts = os.lstat(path)
        except OSError:
            continue  # removed since the listing
        # not st_mtime: copying sets it to an old time
        found.add((path, facts.st_ino, facts.st_size, facts.st_ctime_ns))
    return frozenset(found)


def wait_until_still(
    folder: Path,
    seconds: float,
    *,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.time,
) -> Seen:
    """Return a folder's state once unchanged for `seconds`. Raises MachineError."""
    seen, began = seen_in(folder), now()
    since = max((changed / 1e9 for *_, changed in seen), default=0.0)
    if since > began:
        since = began  # the times are from another machine's clock
    while now() - since < seconds:
        if now() - began >= MOST_SECONDS:
            waited = rough_duration(MOST_SECONDS)
            raise MachineError(
                f"{folder}: still changes after {waited}; type the same command again once all "
                "is there"
            )
        sleep(min(LOOK_SECONDS, seconds))
        before, seen = seen, seen_in(folder)
        if seen != before:
            since = now()
    return seen


MAX_ARCHIVES = 20  # Archives that are opened in one submission.
TOO_MUCH = f"it holds more than {MAX_FILES} files or {MAX_BYTES >> 20} MB"

# Suffixes of files about a bot.
REPORTS = (".pdf", ".docx", ".doc", ".odt", ".rtf", ".txt", ".md", ".html", ".csv", ".png", ".jpg")


def open_inner_archives(files: Files) -> tuple[Files, tuple[str, ...]]:
    """Return the files, with those of inner archives, and notes.

    A single archive is the submission; each of several becomes a folder. Archives beside sources
    stay packed: they are copies, or data of the bot. Raises OSError, and UnreadableError beyond the
    limits, or if an archive cannot be opened and all else are reports.
    """
    packed = [name for name in files.names if is_any_archive(name)]
    if not packed:
        return files, ()
    if any(is_source(name) for name in files.names):
        return files, tuple(f"{one_line(name, 60)} stays packed" for name in packed)
    if len(packed) > MAX_ARCHIVES:
        raise UnreadableError(f"it holds more than {MAX_ARCHIVES} archives")
    assert isinstance(files, LooseFiles)
    data = {name: bytes_of(files, name) for name in files.names if name not in packed}
    executables = {name for name in data if files.is_executable(name)}
    loose = {PurePosixPath(name).parts[0] for name in data}
    notes: list[str] = []
    errors: list[UnreadableError] = []
    for name in packed:
        try:
            found, more = packed_files(files.paths[name], name)
        except UnreadableError as error:
            errors.append(error)
            continue
        alone = len(packed) == 1 and not loose & {inner.split("/")[0] for inner in found.names}
        below = f"{archive_stem(name)}/"
        if any(f"{other}/".startswith(below) for other in data):
            below = f"{name}/"
        below = "" if alone else below
        data |= {f"{below}{inner}": content for inner, content in found.all()}
        executables |= {f"{below}{inner}" for inner in found.names if found.is_executable(inner)}
        notes.extend(more)
        if len(data) > MAX_FILES or sum(map(len, data.values())) > MAX_BYTES:
            raise UnreadableError(TOO_MUCH)
    if errors and all(name.lower().endswith(REPORTS) for name in data):
        raise errors[0]
    return WithMore(NO_FILES, data, executables), (*notes, *map(str, errors))


def bytes_of(files: Files, name: str) -> bytes:
    """Return the bytes of one file. Raises UnreadableError."""
    try:
        return files.read(name)
    except OSError as error:
        raise UnreadableError(f"{name} cannot be read: {error.strerror}") from None


EXPORT_FILES = 200_000
EXPORT_BYTES = 1 << 30  # Limits of a course's archive; 20 times its size is added.
NOT_TAKEN = (
    "handed in again, NOT taken: the folder was changed by hand; "
    "remove it and collect again to take the new one"
)

MAX_NAME = 40
MAX_ID = 12  # Characters of a name and an id in a folder's name; a contest shows 60.


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    kind: str
    entries: tuple[CollectedEntry, ...]
    before: tuple[CollectedEntry, ...]
    """Submissions that only earlier exports had."""

    left_out: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def collect(path: Path, into: Path, lists: Iterable[Path] = ()) -> Collected:
    """Collect the submissions of an export (a folder or archive) into a folder.

    In a folder that was collected into before, changed submissions are replaced, except those
    changed by hand; submissions of people who are not in this export stay. An edited roster is
    renamed.
    Raises InputError, also for a folder with other contents or another system's submissions.
    """
    _refuse(path, into)
    with _opened_export(path) as (folder, damaged):
        try:
            export = read_export(folder, lists)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None
        except PathError as error:  # an archive's error has a path in the temporary folder
            raise PathError(path / error.path.relative_to(folder), error.problem) from None
        with writing(into):
            return _collect(export, into, damaged)


def _refuse(path: Path, into: Path) -> None:
    if not path.exists():
        hint = hint_for_path(path, "name the download of the course system")
        raise InputError(f"{path}: no such file or folder; {hint}")
    if path.is_file() and not is_archive(path.name):
        what = "a .zip" if is_unopened_archive(path.name) else "a folder or a .zip"
        raise InputError(f"{path}: not an export that Arena reads; expected {what}")
    if path.is_dir() and into.resolve().is_relative_to(path.resolve()):
        raise InputError(f"{into}: lies in the export itself; name another folder with --into")
    if into.exists() and not into.is_dir():
        raise InputError(f"{into}: not a folder; name another with --into")
    if into.is_dir() and not (into / COLLECTED).is_file():
        strange = min((child.name for child in into.iterdir()), default=None)
        if strange is not None:
            raise InputError(
                f"{into}: holds {one_line(strange)}, which was not collected; "
                "name another folder with --into"
            )


@contextmanager
def _opened_export(path: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    if path.is_dir():
        yield path, ()
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / (plain_name(archive_stem(path.name)) or "export")
        try:
            folder.mkdir()
            size = EXPORT_BYTES + 20 * path.stat().st_size
            left_out = unpack(path, folder, EXPORT_FILES, size)
        except UnreadableError as error:
            why = str(error).removeprefix(f"{path.name} ")
            again = "; download it again" if type(error) is UnreadableError else ""
            raise InputError(f"{path}: {why}{again}") from None
        except OSError as error:
            raise InputError(f"{path}: cannot be unpacked ({error.strerror})") from None
        yield folder, left_out


def _collect(export: Export, into: Path, damaged: tuple[str, ...]) -> Collected:
    into.mkdir(parents=True, exist_ok=True)
    head, earlier = read_marker(into)
    if head.kind and head.kind != export.kind:
        kinds = {kind: f"an export of {kind}" for kind in (head.kind, export.kind)}
        kinds |= {NO_SYSTEM: "no system's export"}
        raise InputError(
            f"{into}: was collected from {kinds[head.kind]}, and this is {kinds[export.kind]}: "
            "people cannot be matched; name another folder with --into"
        )
    head = replace(head, kind=export.kind)
    if not (into / COLLECTED).exists():
        write_marker(into, head, ())
    chosen, older = _newest(export.attempts)
    previous = _matched(chosen, earlier)
    there = {one.identity for attempt in chosen for one in attempt.people}
    left = [entry for entry in earlier if entry not in previous.values()]
    kept = [entry for entry in left if not there.issuperset(entry.identities)]
    removed = [_remove(into, entry) for entry in left if entry not in kept]
    names = _names(chosen, previous, {child.name for child in into.iterdir()})
    entries: list[CollectedEntry] = []
    for number, attempt in enumerate(chosen):
        entries.append(_take_in(attempt, into, names[number], previous.get(number)))
        with (into / COLLECTED).open("a", encoding="utf-8") as marker:
            marker.write(marker_line(entries[-1]))
    roster = roster_csv((*kept, *entries), export.kind)
    remarks = _put_aside(into, head, roster)
    if earlier and not previous:
        remarks += (
            f"nobody in this export was in {into} before: "
            "if it is another course's, collect it into a separate folder",
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


def _newest(attempts: Sequence[Attempt]) -> tuple[list[Attempt], list[str]]:
    chosen: dict[int, Attempt] = {}
    older = []
    seen: set[str] = set()
    order = sorted(enumerate(attempts), key=lambda each: (bool(each[1].problem), -each[1].age))
    for number, attempt in order:
        people = {one.identity: one for one in attempt.people if one.identity not in seen}
        seen.update(people)
        if people:
            chosen[number] = replace(attempt, people=tuple(people.values()))
        else:
            who = ", ".join(one.name for one in attempt.people)
            older.append(f"{attempt.where} ({who} handed in again)")
    return [chosen[number] for number in sorted(chosen)], older


def _matched(
    chosen: Sequence[Attempt], before: Iterable[CollectedEntry]
) -> dict[int, CollectedEntry]:
    owner = {identity: entry for entry in before for identity in entry.identities}
    matched: dict[int, CollectedEntry] = {}
    for number, attempt in enumerate(chosen):
        for one in attempt.people:
            entry = owner.get(one.identity)
            if entry is not None and entry not in matched.values():
                matched[number] = entry
                break
    return matched


def _names(
    chosen: Sequence[Attempt], previous: dict[int, CollectedEntry], there: Iterable[str]
) -> list[str]:
    taken = {name.casefold() for name in (*there, *HOUSE, *IGNORED, ROSTER, COLLECTED)}
    taken |= {entry.path.casefold() for entry in previous.values()}
    names = []
    for number, attempt in enumerate(chosen):
        name = previous[number].path if number in previous else ""
        if not name:
            text = attempt.group or attempt.people[0].name
            plain = plain_name(unicodedata.normalize("NFC", text))[:MAX_NAME].strip(" .")
            plain = plain or "submission"
            with_id = f"{plain} ({plain_name(attempt.people[0].id)[:MAX_ID]})"
            candidates = [plain, *([with_id] if attempt.people[0].id else [])]
            others = islice(numbered(plain), 1, None)
            name = next(n for n in chain(candidates, others) if n.casefold() not in taken)
        taken.add(name.casefold())
        names.append(name)
    return names


def _put_aside(into: Path, head: Head, roster: bytes) -> tuple[str, ...]:
    path = into / ROSTER
    if not path.exists() or digest(path.read_bytes()) in (head.roster, digest(roster)):
        return ()
    aside, number = into / "roster.edited.csv", 2
    while aside.exists():
        aside, number = into / f"roster.edited-{number}.csv", number + 1
    path.rename(aside)
    return (f"{path} was edited and is {aside.name} now; add facts with --roster",)


def _take_in(
    attempt: Attempt, into: Path, name: str, previous: CollectedEntry | None
) -> CollectedEntry:
    entry = CollectedEntry(
        people=tuple((one.name, one.id, one.email) for one in attempt.people),
        identities=tuple(one.identity for one in attempt.people),
        where=one_line(attempt.where),
        group=attempt.group,
        submitted=attempt.submitted,
        late=attempt.late,
        notes=attempt.notes,
    )
    target = into / name
    there = _digests_of(target) if previous and target.is_dir() else None
    try:
        if attempt.problem is not None:
            raise UnreadableError(attempt.problem)
        files, notes = open_inner_archives(attempt.files)
        entry = replace(entry, notes=(*entry.notes, *notes), files=_digests(files))
        if previous and there is not None:
            edited = any(there.get(file) != digest for file, digest in previous.files.items())
            if entry.files == there or (entry.files == previous.files and not edited):
                return _with_bot_facts(entry, target, "as before")
            if entry.files == previous.files:
                entry = replace(entry, kept_because="it was changed by hand")
                return _with_bot_facts(entry, target, "kept")
            if there != previous.files:
                old = replace(
                    entry, files=previous.files, submitted=previous.submitted, late=previous.late
                )
                return _with_bot_facts(old, target, "kept", NOT_TAKEN)
        with new_folder(target, hidden=True) as new:
            write_files(files, new)
    except UnreadableError as error:
        why = one_line(str(error))
        if previous and there is not None:
            because = f"the new submission cannot be used ({why})"
            kept_entry = replace(entry, files=previous.files, kept_because=because)
            return _with_bot_facts(kept_entry, target, "kept")
        change = "as before" if previous else "new"
        return replace(entry, files={}, status=f"refused: {why}", change=change)
    return _with_bot_facts(entry, target, "replaced" if there is not None else "new")


def _remove(into: Path, entry: CollectedEntry) -> str:
    folder = into / entry.path
    who = ", ".join(name for name, _, _ in entry.people)
    if not entry.path or not folder.is_dir():
        return f"{entry.where} ({who} handed in again)"
    if _digests_of(folder) != entry.files:
        return f"{folder} ({who} handed in again; stays because it was changed by hand)"
    shutil.rmtree(folder)
    return f"{folder} (removed: {who} handed in again)"


def _with_bot_facts(
    entry: CollectedEntry, folder: Path, change: str, remark: str = ""
) -> CollectedEntry:
    bot = read_submission(folder)
    status = "ok" if bot.problem is None else f"refused: {bot.problem}"
    return replace(
        entry,
        path=folder.name,
        interface=bot.entry_point.interface if bot.problem is None else "",
        status=f"{status}; {remark}" if remark else status,
        change=change,
        notes=(*entry.notes, *bot.notes, *filter(None, [bot.choice])),
    )


def _digests(files: Files) -> dict[str, str]:
    return {name: digest(bytes_of(files, name)) for name in files.names}


def _digests_of(folder: Path) -> dict[str, str]:
    try:
        return _digests(folder_files(folder))
    except UnreadableError:
        return {}
