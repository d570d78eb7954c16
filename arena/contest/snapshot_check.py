"""Snapshots of bots against the hashes that name their folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from arena.contest.config import BotEntry, Contest
from arena.contest.finding import REPAIR, Finding
from arena.errors import UnreadableError
from arena.intake import house_player, read_submission
from arena.intake.files import content_hash, folder_files
from arena.intake.submission import Submission
from arena.naming import PLAYERS
from arena.numbers import some

FOLDER = re.compile(r"[0-9a-f]{16}")
"""The name of a snapshot's folder: its hash."""

STRANGE = "holds what Arena did not put there"

NAMED = 3
"""Bots, or files, that a sentence names; the others are counted."""


def snapshot_findings(snapshots: Path, contest: Contest) -> Iterator[Finding]:
    """Yield which bots' files are missing, or are not those that played.

    Files of bots that left count as well: their games may come back with them.
    """
    names: dict[str, list[str]] = {}
    for name, entry in contest.bots.items():
        names.setdefault(entry.content_hash or "", []).append(name)
    there = {path.name for path in snapshots.iterdir()} if snapshots.is_dir() else set()
    for digest in sorted(names.keys() | {name for name in there if FOLDER.fullmatch(name)}):
        bots = names.get(digest, [])
        whose = f"the files of {some(bots, NAMED)}" if bots else "files of a bot that left"
        if not FOLDER.fullmatch(digest):
            what = f"gives {some(bots, NAMED)} no hash of files"
            yield Finding("contest.toml", what, "put the file back from a backup")
        elif wrong := _wrong(snapshots / digest, is_there=digest in there):
            again = f"{REPAIR} sets it aside"
            if bots and not wrong.startswith(STRANGE):
                again = _put_back(contest.bots[bots[0]], snapshots.parent)
            yield Finding(f"{snapshots.name}/{digest}", f"{wrong} ({whose})", again)


def original(name: str, entry: BotEntry) -> Submission | None:
    """Return the bot's files where it was read from, if they are those that played; else None."""
    source = Path(entry.source or "")
    try:
        if entry.house:
            found = house_player(name) if name in PLAYERS else None
        else:
            found = read_submission(source, entry.overrides) if source.exists() else None
    except (OSError, UnreadableError):
        return None
    return found if found is not None and found.content_hash == entry.content_hash else None


def strange_names(folder: Path) -> list[str]:
    """Return what lies in a snapshot that Arena did not put there, if its own files are right.

    Raises OSError, UnreadableError.
    """
    files = folder_files(folder)
    return _strange(folder, set(files.names)) if content_hash(files) == folder.name else []


def _put_back(entry: BotEntry, folder: Path) -> str:
    """Return what puts a bot's snapshot back."""
    if entry.house:
        return f"{REPAIR} puts back the house player, if this Arena has the same"
    source = entry.source or "its source"
    return (
        f"{REPAIR} copies it from {quote(source)}, if that is unchanged; else put it back from a "
        f"backup, or enter the bot as it is now: arena run … --out {quote(str(folder))}"
    )


def _wrong(folder: Path, *, is_there: bool) -> str:
    """Return what is wrong with a snapshot, a predicate; empty if nothing is."""
    if not is_there:
        return "is missing"
    if folder.is_symlink() or not folder.is_dir():
        return "is no folder"
    try:
        files = folder_files(folder)
        found = content_hash(files)
        strange = _strange(folder, set(files.names))
    except (OSError, UnreadableError) as error:
        return f"cannot be read: {error}"
    if found != folder.name:
        return "holds other files than were played: their hash is " + found
    return f"{STRANGE}: {some(strange, NAMED)}" if strange else ""


def _strange(folder: Path, known: set[str]) -> list[str]:
    """Return the names of what a hash leaves out: hidden files, links, devices. Raises OSError."""
    strange = []
    for path, folders, files in os.walk(folder, onerror=_raise):
        for name in (*folders, *files):
            relative = os.path.relpath(os.path.join(path, name), folder)
            is_folder = name in folders and not os.path.islink(os.path.join(path, name))
            if relative not in known and not (is_folder and any(_below(relative, known))):
                strange.append(relative)
    return sorted(strange)


def _below(folder: str, names: set[str]) -> Iterator[str]:
    """Yield the names of files in that folder."""
    return (name for name in names if name.startswith(f"{folder}{os.sep}"))


def _raise(error: OSError) -> None:
    raise error
