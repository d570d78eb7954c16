"""The files of a submission that is an archive. What an archive says of itself is never believed.

Unusual archives are handled as follows:

- Refused, with a sentence: a path that leaves its folder (`..`, `/`, `C:/`) or is too long for a
  disk, more files or bytes than a submission may have (counted while unpacking, headers lie), a
  password, damage, headers out of all proportion, packing that nobody can rely on (.rar, .7z).
- Left out, with a note: links, devices, names that are not UTF-8. An archive inside that cannot be
  opened stays packed. Of files with the same name the last counts, as when unpacking by hand.
- Silently: hidden files and what systems add go, backslashes become folders, unmarked UTF-8 names
  are read as such.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from arena.errors import TooLargeError, UnreadableError
from arena.intake.archive_members import Account, Allowance, Member, Open, members
from arena.intake.files import MAX_BYTES, MAX_PATH, Files, is_junk, is_text
from arena.naming import archive_stem, is_any_archive
from arena.numbers import some
from arena.quoting import one_line

MAX_DEPTH = 3
"""How deep archives may lie in each other."""

MAX_PART = 255
"""Bytes of the longest name of a file or folder that a disk takes."""

NAMED = 3
"""Things left out that a note names; the others are counted."""


class ArchiveFiles(Files):
    """Files in a `.zip`, `.tar` or `.tar.gz`; those of an archive inside it lie in a folder.

    Raises OSError if it cannot be read, UnreadableError if it is refused. Files in a `.zip` stay
    there until they are read; those of a `.tar`, which has no table of contents, are kept in
    memory, compressed. `open_it` opens an archive that has a name but no place on a disk.
    """

    notes: tuple[str, ...]
    """Sentences on what was left out."""

    def __init__(self, path: Path, open_it: Open | None = None) -> None:
        found = _Reading(Account(path.name, Allowance()), 1)
        self._found = found.read(open_it or (lambda: path.open("rb")))
        if not self._found:
            raise UnreadableError(f"{path.name} holds no files{found.left_out(', only ')}")
        self.notes = (*found.notes, *filter(None, [found.left_out(f"left out of {path.name}: ")]))
        self.names = tuple(sorted(self._found, key=Path))

    def read(self, name: str) -> bytes:
        return self._found[name].read()

    def is_executable(self, name: str) -> bool:
        return self._found[name].executable


def is_place(name: str) -> bool:
    """Return True for a path that a file may be unpacked to: in its folder, and not too long."""
    return len(name) <= MAX_PATH and all(
        part not in ("", ".", "..") and _fits(part) for part in name.split("/")
    )


def stream(path: Path, allowance: Allowance) -> Iterator[list[object] | bytes]:
    """Yield what is in an archive of many submissions, piece by piece.

    `["folder", NAME]` and `["file", NAME, EXECUTABLE]`, which its bytes follow; `["bad", WHY]` for
    what is left out, with the file before it if there was one; last `["odd", WHAT]` of the rest.
    Archives inside stay packed. A bad path leaves only that file out, as it is one student's. A
    file larger than a submission may be is cut off. Raises OSError, UnreadableError.
    """
    account = Account(path.name, allowance)
    reading = _Reading(account, MAX_DEPTH)
    for member in members(lambda: path.open("rb"), account):
        try:
            # a folder tells that there was a submission, even one of which nothing is left
            yield ["folder", _around(member)]
            name = reading.place(member)
            if name is not None:
                account.count(files=1)
                yield ["file", name, member.executable]
                yield from reading.chunks(member)
        except TooLargeError:
            raise
        except UnreadableError as error:
            yield ["bad", str(error)]
    if odd := reading.left_out(""):
        yield ["odd", odd]


class _Found(NamedTuple):
    executable: bool
    size: int
    read: Callable[[], bytes]


class _Reading:
    def __init__(self, account: Account, depth: int) -> None:
        self.account = account
        self.notes: list[str] = []
        self._depth = depth
        self._odd: list[str] = []

    def left_out(self, prefix: str) -> str:
        """Return what was left out, after the prefix; empty if nothing was."""
        return f"{prefix}{some(self._odd, NAMED)}" if self._odd else ""

    def place(self, member: Member) -> str | None:
        """Return the path of a member, None if it is left out. Raises UnreadableError."""
        name = member.name.replace("\\", "/")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        shown = one_line(member.name, 60)
        if name.startswith("/") or ".." in parts or re.match("[A-Za-z]:/", name):
            raise UnreadableError(
                f"{self.account.archive} holds a path that leaves its folder ({shown})"
            )
        if member.kind == "folder" or not parts or any(map(is_junk, parts)):
            return None
        is_sound = is_text(name) and "\0" not in name
        if not is_sound or member.kind != "file":
            odd = member.kind if is_sound else "its name is not valid UTF-8"
            self._odd.append(f"{shown} ({odd})")
            return None
        path = "/".join(parts)
        if len(path) > MAX_PATH or not all(map(_fits, parts)):
            raise UnreadableError(f"{self.account.archive} holds a path that is too long ({shown})")
        return path

    def read(self, open_it: Open) -> dict[str, _Found]:
        """Its files by name, with those of archives inside. Raises UnreadableError."""
        found: dict[str, _Found] = {}
        for member in members(open_it, self.account):
            name = self.place(member)
            if name is None:
                continue
            self.account.count(files=name not in found)
            found[name] = self._take(member)
        for name in sorted(found):
            if is_any_archive(name):
                self._open_inner(found, name)
        for name in found:
            if len(name) > MAX_PATH:
                long = one_line(name, 60)
                raise UnreadableError(
                    f"{self.account.archive} holds a path that is too long ({long})"
                )
        folders = {str(parent) for name in found for parent in PurePosixPath(name).parents}
        for name in sorted(folders.intersection(found)):
            del found[name]
            self._odd.append(f"{one_line(name, 60)} (also a folder)")
        return found

    def chunks(self, member: Member) -> Iterator[bytes]:
        """Unpack and count one file, as far as one may be. Raises UnreadableError."""
        size = 0
        for chunk in member.chunks():
            self.account.count(size=len(chunk), unpacked=len(chunk))
            yield chunk
            size += len(chunk)
            if size > MAX_BYTES:
                break

    def _take(self, member: Member) -> _Found:
        """Unpack and count one file; what cannot be read again later is kept."""
        packer = zlib.compressobj(1)
        kept: list[bytes] = []
        size = 0
        for chunk in member.chunks():
            self.account.count(size=len(chunk), unpacked=len(chunk))
            size += len(chunk)
            if not member.stays:
                kept.append(packer.compress(chunk))
        if member.stays:
            return _Found(member.executable, size, lambda: b"".join(member.chunks()))
        packed = b"".join((*kept, packer.flush()))
        return _Found(member.executable, size, lambda: zlib.decompress(packed))

    def _open_inner(self, found: dict[str, _Found], name: str) -> None:
        """Put an archive's files in its place, or leave it and say why."""
        if self._depth >= MAX_DEPTH:
            self.notes.append(f"{self._inside(name)} stays packed: it lies {MAX_DEPTH} deep")
            return
        archive = found.pop(name)
        self.account.count(files=-1, size=-archive.size)
        account = Account(self._inside(name), self.account.allowance, self.account)
        inner = _Reading(account, self._depth + 1)
        before = account.spent()
        try:
            files = inner.read(partial(io.BytesIO, archive.read()))
        except TooLargeError:
            raise self.account.too_much() from None
        except UnreadableError as error:
            self.notes.append(f"{error}; it stays packed")
            found[name] = archive
            after = account.spent()
            self.account.count(
                files=before["files"] + 1 - after["files"],
                size=before["size"] + archive.size - after["size"],
            )
            return
        folder = archive_stem(name)
        if not is_text(folder) or folder in found or any(n.startswith(f"{folder}/") for n in found):
            folder = name
        found.update({f"{folder}/{file}": what for file, what in files.items()})
        self.notes.extend(inner.notes)
        self._odd.extend(f"{name}/{odd}" for odd in inner._odd)

    def _inside(self, name: str) -> str:
        return f"{self.account.archive}/{one_line(name, 60)}"


def _around(member: Member) -> str:
    """The innermost good folder on the way to a member."""
    *folders, last = member.name.replace("\\", "/").split("/")
    way = [part for part in (*folders, last if member.kind == "folder" else ".") if part != "."]
    good = takewhile(lambda part: not is_junk(part) and _fits(part), way)
    path = "/".join(part for part in good if part)
    return path if len(path) <= MAX_PATH else ""


def _fits(part: str) -> bool:
    return is_text(part) and "\0" not in part and len(part.encode()) <= MAX_PART
