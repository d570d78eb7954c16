"""The files of a submission in an export, with those of the archives among them."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath

from arena.errors import UnreadableError
from arena.intake.archive import ArchiveFiles
from arena.intake.confined import confined_items
from arena.intake.files import MAX_BYTES, MAX_FILES, Files, LooseFiles, Watched
from arena.intake.packed import held_files, send_files
from arena.intake.validation import texts
from arena.naming import archive_stem, is_any_archive, is_source
from arena.quoting import one_line

MAX_ARCHIVES = 20
"""Archives of one submission that are opened."""

MAX_NOTES, MAX_NOTE = 1000, 1000
"""Sentences on what was done with archives, and characters of one."""

TOO_MUCH = f"it holds more than {MAX_FILES} files or {MAX_BYTES >> 20} MB"

REPORTS = (".pdf", ".docx", ".doc", ".odt", ".rtf", ".txt", ".md", ".html", ".csv", ".png", ".jpg")
"""Files that say something about a bot and are none."""


def open_inner_archives(files: Files) -> tuple[Files, tuple[str, ...]]:
    """Return the files with those in archives among them, and notes on what was done.

    Archives beside sources stay packed: they are copies, or data of the bot. Raises OSError,
    UnreadableError.
    """
    packed = _archives(files)
    if not packed:
        return files, ()
    if any(is_source(name) for name in files.names):
        return files, tuple(f"{one_line(name, 60)} stays packed" for name in packed)
    assert isinstance(files, LooseFiles)
    places = {name: os.path.abspath(path) for name, path in files.paths.items()}
    items = confined_items(unpacked, places, readable=[*files.paths.values()])
    notes = texts(next(items, None), MAX_NOTES, MAX_NOTE)
    return held_files(items), notes


def _archives(files: Files) -> list[str]:
    return [name for name in files.names if is_any_archive(name)]


def unpacked(
    at: Callable[[str], None], places: Mapping[str, str]
) -> Iterator[list[str] | list[list[str]] | bytes]:
    """Yield what was done with archives among some files, then all files as `send_files` does.

    An only archive is the submission itself, of several each becomes a folder. `places` are paths
    by name. Raises OSError, and UnreadableError if none can be opened and there is nothing else.
    """
    loose = LooseFiles({name: Path(path) for name, path in places.items()})
    files, notes = _with_unpacked(Watched(loose, at))
    if len(files.names) > MAX_FILES or sum(len(data) for _, data in files.all()) > MAX_BYTES:
        raise UnreadableError(TOO_MUCH)
    yield list(notes)
    yield from send_files(files)


def _with_unpacked(files: Files) -> tuple[Files, tuple[str, ...]]:
    """The files with those of archives among them, and what was done."""
    packed = _archives(files)
    loose = [name for name in files.names if name not in packed]
    if len(packed) > MAX_ARCHIVES:
        raise UnreadableError(f"it holds more than {MAX_ARCHIVES} archives")
    places = {name: (files, name) for name in loose}
    notes: list[str] = []
    errors: list[UnreadableError] = []
    for name in packed:
        try:
            found = ArchiveFiles(Path(name), partial(io.BytesIO, bytes_of(files, name)))
        except UnreadableError as error:
            errors.append(error)
            continue
        tops = {PurePosixPath(inner).parts[0] for inner in found.names}
        alone = len(packed) == 1 and not tops & {PurePosixPath(n).parts[0] for n in loose}
        below = f"{archive_stem(name)}/"
        if any(f"{other}/".startswith(below) for other in places):
            below = f"{name}/"
        below = "" if alone else below
        places.update({f"{below}{inner}": (found, inner) for inner in found.names})
        notes.extend(found.notes)
    if errors and all(name.lower().endswith(REPORTS) for name in places):
        raise errors[0]
    return _Picked(places), (*notes, *map(str, errors))


class _Picked(Files):
    """Files from several places under names of their own."""

    def __init__(self, places: Mapping[str, tuple[Files, str]]) -> None:
        self._places = places
        self.names = tuple(sorted(places, key=Path))

    def read(self, name: str) -> bytes:
        files, there = self._places[name]
        return files.read(there)

    def is_executable(self, name: str) -> bool:
        files, there = self._places[name]
        return files.is_executable(there)


def bytes_of(files: Files, name: str) -> bytes:
    """The bytes of one file. Raises UnreadableError."""
    try:
        return files.read(name)
    except OSError as error:
        raise UnreadableError(f"{name} cannot be read: {error.strerror}") from None
