"""The folder of one submission that is collected: written, brought up to date, or left alone."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from arena.errors import UnreadableError
from arena.intake.collected import CollectedEntry, digest
from arena.intake.exports import Handin
from arena.intake.files import MAX_BYTES, MAX_FILES, Files, folder_files
from arena.intake.inner_archives import TOO_MUCH, bytes_of, open_inner_archives
from arena.intake.submission import read_submission
from arena.quoting import one_line
from arena.writing import new_folder

COMPILED = (".class", ".jar", ".o", ".so", ".exe", ".pyc")
ELF = b"\x7fELF"
"""What files are called that are made from sources, or how they begin."""

NOT_TAKEN = (
    "handed in again, NOT taken: the folder was changed by hand; "
    "remove it and collect again to take the new one"
)
"""What is said of a submission that would overwrite somebody's work."""


def take_in(
    handin: Handin, into: Path, name: str, previous: CollectedEntry | None
) -> CollectedEntry:
    """Write one submission's folder, unless there is a reason not to; the entry says which."""
    entry = CollectedEntry(
        people=tuple((one.name, one.id, one.email) for one in handin.people),
        identities=tuple(one.identity for one in handin.people),
        where=one_line(handin.where),
        group=handin.group,
        submitted=handin.submitted,
        late=handin.late,
        notes=handin.notes,
    )
    target = into / name
    there = digests_of(target) if previous and target.is_dir() else None
    try:
        if handin.problem is not None:
            raise UnreadableError(handin.problem)
        files, notes = open_inner_archives(handin.files)
        entry = replace(entry, notes=(*entry.notes, *notes), files=digests(files))
        added: list[str] = []
        if previous and there is not None:
            edited = any(there.get(file) != digest for file, digest in previous.files.items())
            if entry.files in (previous.files, there):
                kept = edited and entry.files != there
                if not kept:
                    return _told(entry, target, "as before")
                entry = replace(entry, kept_because="it was changed by hand")
                return _told(entry, target, "kept")
            fresh = {file for file in there if file not in previous.files}
            compiled = {file for file in fresh if _is_compiled(target / file)}
            added = sorted(fresh - compiled)
            if edited or _collide(entry.files, {file: there[file] for file in added}):
                old = replace(
                    entry, files=previous.files, submitted=previous.submitted, late=previous.late
                )
                return _told(old, target, "kept", NOT_TAKEN)
            changes = {"removed, as it is made from the old files": sorted(compiled),
                       "added by hand, stays": added}  # fmt: skip
            more = [f"{what}: {', '.join(names)}" for what, names in changes.items() if names]
            entry = replace(entry, notes=(*entry.notes, *map(one_line, more)))
        with new_folder(target, hidden=True) as new:
            _write(files, new)
            for file in added:
                (new / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(target / file, new / file)
    except UnreadableError as error:
        why = one_line(str(error))
        if previous and there is not None:
            because = f"what was handed in now is no use ({why})"
            kept_entry = replace(entry, files=previous.files, kept_because=because)
            return _told(kept_entry, target, "kept")
        change = "as before" if previous else "new"
        return replace(entry, files={}, status=f"refused: {why}", change=change)
    return _told(entry, target, "replaced" if there is not None else "new")


def remove(into: Path, entry: CollectedEntry) -> str:
    """Remove an entry whose people have all handed in otherwise; says what was done."""
    folder = into / entry.path
    who = ", ".join(name for name, _, _ in entry.people)
    if not entry.path or not folder.is_dir():
        return f"{entry.where} ({who} handed in again)"
    if digests_of(folder) != entry.files:
        return f"{folder} ({who} handed in again; stays, as it was changed by hand)"
    shutil.rmtree(folder)
    return f"{folder} (removed: {who} handed in again)"


def _told(entry: CollectedEntry, folder: Path, change: str, remark: str = "") -> CollectedEntry:
    """The entry with what can be told of the bot in its folder."""
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


def digests(files: Files) -> dict[str, str]:
    """Return the digest of each file by its name. Raises UnreadableError."""
    return {name: digest(bytes_of(files, name)) for name in files.names}


def digests_of(folder: Path) -> dict[str, str]:
    """Return the same of a folder that was collected; nothing if it became more than is read."""
    try:
        return digests(folder_files(folder))
    except UnreadableError:
        return {}


def _is_compiled(path: Path) -> bool:
    """Return True for a file made from sources, by its name or first bytes. Raises OSError."""
    with path.open("rb") as file:
        return path.suffix.lower() in COMPILED or file.read(len(ELF)) == ELF


def _collide(files: Mapping[str, str], added: Mapping[str, str]) -> bool:
    """Return True if files, by digests, take the places of others that are not the same."""
    folders = {str(above) for name in (*files, *added) for above in PurePosixPath(name).parents}
    return any(
        name in folders or files.get(name, digest) != digest for name, digest in added.items()
    ) or not folders.isdisjoint(files)


def _write(files: Files, folder: Path) -> None:
    """Write files into an empty folder. Raises OSError, UnreadableError."""
    size = 0
    for number, name in enumerate(files.names):
        data = bytes_of(files, name)
        size += len(data)
        if number >= MAX_FILES or size > MAX_BYTES:
            raise UnreadableError(TOO_MUCH)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(0o755 if files.is_executable(name) else 0o644)
