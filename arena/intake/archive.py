"""The files of a submission that is an archive. What an archive says of itself is never believed.

What becomes of an unusual one:

- It is refused, with a sentence: a path that leaves its folder (`..`, `/`, `C:/`), more files or
  bytes than a submission may have (counted while unpacking, headers lie), a path too long for a
  disk, a password, damage, headers out of all proportion, a kind of packing nobody can rely on
  (.rar, .7z).
- The rest is used: links and devices, names that are not UTF-8, and an archive inside that cannot
  be opened, which stays as it is; `notes` says so. Of files with the same name the last counts, as
  when it is unpacked by hand.
- Nothing is said: hidden files and what systems add, backslashes between folders, UTF-8 names that
  are not marked as such.
"""

from __future__ import annotations

import gzip
import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import BinaryIO, TypeVar

from arena.errors import TooLargeError, UnreadableError
from arena.intake.files import IGNORED, MAX_BYTES, MAX_FILES, MAX_PATH, is_text
from arena.naming import archive_stem, is_any_archive, is_unopened_archive
from arena.quoting import one_line

MAX_DEPTH = 3
"""How deep archives may lie in each other."""

MAX_PART = 255
"""Bytes of the longest name of a file or folder that a disk takes."""

CHUNK = 1 << 18
"""Bytes unpacked at a time, before they are counted."""

MAX_SAID = 8 << 10
"""Bytes of headers before one member of a .tar: longer ones cost far more than they are long."""

MAX_COMMON = 100
"""What a .tar may say of all its members."""

MAX_DIRECTORY = 32 << 20
"""Bytes of the longest table of contents that is read only for its names."""

NAMED = 3
"""Things left out that a note names; the others are counted."""

ENCRYPTED, UTF_8 = 0x1, 0x800
"""Flags of a member of a .zip."""

DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""What the standard library raises over a damaged archive."""

T = TypeVar("T")
Open = Callable[[], BinaryIO]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What may come out of an archive and all those inside it."""

    files: int = MAX_FILES
    """Files that count."""

    size: int = MAX_BYTES
    """Bytes of the files that count; all that is unpacked on the way may be three times as much."""


class ArchiveFiles:
    """Files in a `.zip`, `.tar` or `.tar.gz`; those of an archive inside it lie in a folder.

    Raises OSError if it cannot be read, UnreadableError if it is refused. Files in a `.zip` stay
    there until they are read; those of a `.tar`, which has no table of contents, are kept in
    memory, compressed. `open_it` opens an archive that has a name but no place on a disk.
    """

    notes: tuple[str, ...]
    """Sentences on what was left out."""

    def __init__(self, path: Path, open_it: Open | None = None) -> None:
        found = _Reading(path.name, Allowance(), 1)
        self._found = found.read(open_it or _opener(path))
        if not self._found:
            raise UnreadableError(f"{path.name} holds no files{found.left_out(', only ')}")
        self.notes = (*found.notes, *filter(None, [found.left_out(f"left out of {path.name}: ")]))
        self.names = tuple(sorted(self._found, key=Path))

    def read(self, name: str) -> bytes:
        """The bytes of one file. Raises OSError, UnreadableError."""
        return self._found[name].read()

    def all(self) -> Iterator[tuple[str, bytes]]:
        """Every file's name and bytes. Raises OSError, UnreadableError."""
        return ((name, self.read(name)) for name in self.names)

    def is_executable(self, name: str) -> bool:
        """Whether its owner may run it as a program."""
        return self._found[name].executable


def is_place(name: str) -> bool:
    """Whether a path is one that a file may be unpacked to: below its folder, and not too long."""
    return len(name) <= MAX_PATH and all(
        part not in ("", ".", "..") and _fits(part) for part in name.split("/")
    )


def names_in(path: Path) -> list[str]:
    """Names in a `.zip` as it says them, nothing if it cannot be read or says too many."""
    try:
        file = _Reopened(_opener(path), MAX_DIRECTORY, TooLargeError(path.name))
        with file, zipfile.ZipFile(file) as archive:
            return [_zip_name(info) for info in archive.infolist()]
    except (*DAMAGE, UnreadableError):
        return []


def stream(path: Path, allowance: Allowance) -> Iterator[list[object] | bytes]:
    """What is in an archive of many submissions, piece by piece.

    `["folder", NAME]` and `["file", NAME, EXECUTABLE]`, which its bytes follow; `["bad", WHY]` for
    what is left out, with the file before it if there was one; last `["odd", WHAT]` of the rest.
    Archives inside it stay packed. One bad path leaves only that file out: it is one student's,
    and the others did nothing. A file that is larger than a submission may be is cut off where
    that is plain. Raises OSError, UnreadableError.
    """
    reading = _Reading(path.name, allowance, MAX_DEPTH)
    for member in reading.members(_opener(path)):
        try:
            # a folder tells that there was a submission, even one of which nothing is left
            yield ["folder", _around(member)]
            name = reading.place(member)
            if name is not None:
                reading.count(files=1)
                yield ["file", name, member.executable]
                yield from reading.chunks(member)
        except TooLargeError:
            raise
        except UnreadableError as error:
            yield ["bad", str(error)]
    if odd := reading.left_out(""):
        yield ["odd", odd]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """One thing in an archive, as the archive describes it."""

    name: str
    """As stored."""

    kind: str
    """`file`, `folder`, or what else it is."""

    executable: bool

    chunks: Callable[[], Iterator[bytes]]
    """Its bytes."""

    stays: bool
    """Whether there are bytes still after the next member was asked for."""


@dataclass(frozen=True, slots=True)
class _Found:
    """One file that counts."""

    executable: bool

    size: int

    read: Callable[[], bytes]


class _Reading:
    """One archive being read, with its account."""

    def __init__(self, archive: str, allowance: Allowance, depth: int) -> None:
        self.archive = one_line(archive, 80)
        self.notes: list[str] = []
        self._allowance = allowance
        self._depth = depth
        self._odd: list[str] = []
        self._spent = {"entries": 0, "files": 0, "size": 0, "unpacked": 0, "headers": 0}
        self._limits = {
            "entries": 20 * allowance.files,
            "files": allowance.files,
            "size": allowance.size,
            "unpacked": 3 * allowance.size,
            # the work they make grows with the square of their length
            "headers": allowance.files << 20,
        }

    def count(self, **spent: int) -> None:
        """Add to the account. Raises TooLargeError, for headers UnreadableError."""
        for what, amount in spent.items():
            self._spent[what] += amount
            if self._spent[what] > self._limits[what]:
                raise TooLargeError(self._too_much()) if what != "headers" else self.says_too_much()

    def says_too_much(self) -> UnreadableError:
        """What to raise for a .tar with headers out of all proportion."""
        return UnreadableError(f"{self.archive} says far too much about its files; hand in a .zip")

    def left_out(self, prefix: str) -> str:
        """What was left out, after the prefix; empty if nothing was."""
        if not self._odd:
            return ""
        named = ", ".join(self._odd[:NAMED])
        more = len(self._odd) - NAMED
        return f"{prefix}{named}" + (f" and {more} more" if more > 0 else "")

    def members(self, open_it: Open) -> Iterator[_Member]:
        """What is in the archive, one after another. Raises UnreadableError."""
        with open_it() as file:
            head = file.read(512)
        if not head:
            raise UnreadableError(f"{self.archive} is empty")
        if head.startswith((b"Rar!", b"7z\xbc\xaf")) or is_unopened_archive(self.archive):
            raise UnreadableError(f"{self.archive} is of a kind that is not opened; hand in a .zip")
        is_gzip = head.startswith(b"\x1f\x8b")
        is_tar = is_gzip or head[257:262] == b"ustar"
        is_zip = head.startswith(b"PK") or (self.archive.lower().endswith(".zip") and not is_tar)
        members = self._zip_members(open_it) if is_zip else self._tar_members(open_it, is_gzip)
        for member in self._sound(members):
            self.count(entries=1)
            yield member

    def place(self, member: _Member) -> str | None:
        """Where a member goes, None if it is left out. Raises UnreadableError for a bad path."""
        name = member.name.replace("\\", "/")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        shown = one_line(member.name, 60)
        if name.startswith("/") or ".." in parts or re.match("[A-Za-z]:/", name):
            raise UnreadableError(f"{self.archive} holds a path that leaves its folder ({shown})")
        if member.kind == "folder" or not parts or any(map(_is_junk, parts)):
            return None
        if not is_text(name) or "\0" in name:
            self._odd.append(f"{shown} (its name is not valid UTF-8)")
            return None
        if member.kind != "file":
            self._odd.append(f"{shown} ({member.kind})")
            return None
        path = "/".join(parts)
        if len(path) > MAX_PATH or not all(map(_fits, parts)):
            raise UnreadableError(f"{self.archive} holds a path that is too long ({shown})")
        return path

    def read(self, open_it: Open) -> dict[str, _Found]:
        """Its files by name, with those of archives inside. Raises UnreadableError."""
        found: dict[str, _Found] = {}
        for member in self.members(open_it):
            name = self.place(member)
            if name is None:
                continue
            self.count(files=name not in found)
            found[name] = self._take(member)
        for name in sorted(found):
            if is_any_archive(name):
                self._open_inner(found, name)
        for name in found:
            if len(name) > MAX_PATH:
                long = one_line(name, 60)
                raise UnreadableError(f"{self.archive} holds a path that is too long ({long})")
        folders = {str(parent) for name in found for parent in PurePosixPath(name).parents}
        for name in sorted(folders.intersection(found)):
            del found[name]
            self._odd.append(f"{one_line(name, 60)} (also a folder)")
        return found

    def chunks(self, member: _Member) -> Iterator[bytes]:
        """Unpack and count one file, as far as one may be. Raises UnreadableError."""
        size = 0
        for chunk in member.chunks():
            self.count(size=len(chunk), unpacked=len(chunk))
            yield chunk
            size += len(chunk)
            if size > MAX_BYTES:
                break

    def _take(self, member: _Member) -> _Found:
        """Unpack and count one file; what cannot be read again later is kept."""
        packer = zlib.compressobj(1)
        kept: list[bytes] = []
        size = 0
        for chunk in member.chunks():
            self.count(size=len(chunk), unpacked=len(chunk))
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
        self.count(files=-1, size=-archive.size)
        inner = _Reading(self._inside(name), self._allowance, self._depth + 1)
        inner._spent = self._spent
        before = dict(self._spent)
        try:
            files = inner.read(partial(io.BytesIO, archive.read()))
        except TooLargeError:
            raise TooLargeError(self._too_much()) from None
        except UnreadableError as error:
            self.notes.append(f"{error}; it stays packed")
            found[name] = archive
            self.count(
                files=before["files"] + 1 - self._spent["files"],
                size=before["size"] + archive.size - self._spent["size"],
            )
            return
        folder = archive_stem(name)
        if not is_text(folder) or folder in found or any(n.startswith(f"{folder}/") for n in found):
            folder = name
        found.update({f"{folder}/{file}": what for file, what in files.items()})
        self.notes.extend(inner.notes)
        self._odd.extend(f"{name}/{odd}" for odd in inner._odd)

    def _inside(self, name: str) -> str:
        return f"{self.archive}/{one_line(name, 60)}"

    def _too_much(self) -> str:
        limits = f"{self._allowance.files} files or {self._allowance.size >> 20} MB"
        return f"{self.archive} holds more than {limits}"

    def _sound(self, parts: Iterator[T]) -> Iterator[T]:
        """The same, with all that a damaged archive raises as UnreadableError."""
        try:
            yield from parts
        except UnreadableError:
            raise
        except UnicodeDecodeError:
            raise UnreadableError(f"{self.archive} holds a name that is not valid UTF-8") from None
        except NotImplementedError as error:
            raise UnreadableError(f"{self.archive} cannot be unpacked: {error}") from None
        except DAMAGE as error:
            said = one_line(str(error), 100) or type(error).__name__
            raise UnreadableError(f"{self.archive} is damaged or no archive: {said}") from None

    def _zip_members(self, open_it: Open) -> Iterator[_Member]:
        directory = 2048 * self._allowance.files
        file = _Reopened(open_it, directory, TooLargeError(self._too_much()))
        # left open for members that are read later; there is nothing to close
        archive = zipfile.ZipFile(file)
        for info in archive.infolist():
            mode = info.external_attr >> 16
            kind = "folder" if info.filename.endswith(("/", "\\")) else _kind(mode)
            yield _Member(
                name=_zip_name(info),
                kind=kind,
                executable=bool(mode & stat.S_IXUSR),
                chunks=partial(self._zip_chunks, archive, info),
                stays=True,
            )

    def _zip_chunks(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
        return self._sound(self._zip_bytes(archive, info))

    def _zip_bytes(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
        if info.flag_bits & ENCRYPTED:
            raise UnreadableError(f"{self.archive} has a password; hand it in without one")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UnreadableError(
                f"{self.archive} is packed in an unusual way; hand in an ordinary .zip"
            )
        with archive.open(info) as member:
            while chunk := member.read(CHUNK):
                yield chunk

    def _tar_members(self, open_it: Open, is_gzip: bool) -> Iterator[_Member]:
        with open_it() as file:
            stream = _Counted(gzip.GzipFile(fileobj=file) if is_gzip else file, self)
            # a stream: nothing is read twice, every byte of it is counted, and none is read ahead
            with tarfile.open(
                fileobj=stream,
                mode="r|",
                bufsize=tarfile.BLOCKSIZE,
                encoding="utf-8",
                errors="surrogateescape",
            ) as archive:
                while (info := archive.next()) is not None:
                    archive.members = []  # type: ignore[attr-defined]  # they keep their headers
                    if len(archive.pax_headers) > MAX_COMMON:
                        raise self.says_too_much()
                    if info.sparse is not None or info.size < 0:
                        raise UnreadableError(f"{self.archive} holds a file with holes in it")
                    if info.size > self._allowance.size:
                        raise TooLargeError(self._too_much())
                    stream.header = archive.offset
                    kind = "folder" if info.isdir() else "file" if info.isreg() else "link"
                    yield _Member(
                        name=info.name,
                        kind="device" if info.isdev() else kind,
                        executable=bool(info.mode & stat.S_IXUSR),
                        chunks=partial(self._tar_chunks, archive, info),
                        stays=False,
                    )
            # what is wrong with a .gz is told at its end
            stream.header = stream.at + tarfile.RECORDSIZE
            stream.read(tarfile.RECORDSIZE)

    def _tar_chunks(self, archive: tarfile.TarFile, info: tarfile.TarInfo) -> Iterator[bytes]:
        return self._sound(self._tar_bytes(archive, info))

    def _tar_bytes(self, archive: tarfile.TarFile, info: tarfile.TarInfo) -> Iterator[bytes]:
        member = archive.extractfile(info)
        while member and (chunk := member.read(CHUNK)):
            yield chunk


class _Reopened(io.RawIOBase):
    """A file that is open only while it is read: a class has more archives than descriptors.

    Who asks for more than `most` bytes at once gets the error.
    """

    def __init__(self, open_it: Open, most: int, error: Exception) -> None:
        self._open = open_it
        self._most = most
        self._error = error
        self._at = 0
        with open_it() as file:
            self._size = file.seek(0, io.SEEK_END)

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("it ends too early")
        self._at = base + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        wanted = max(0, self._size - self._at) if size < 0 else size
        if wanted > self._most:
            raise self._error
        with self._open() as file:
            file.seek(self._at)
            data = file.read(wanted)
        self._at += len(data)
        return data


class _Counted(io.RawIOBase):
    """The bytes of a .tar, each of them on an archive's account."""

    at: int
    """Bytes read so far."""

    header: int
    """Where the next member begins."""

    def __init__(self, stream: io.BufferedIOBase | BinaryIO, account: _Reading) -> None:
        self._stream = stream
        self._account = account
        self.at = 0
        self.header = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._account.count(unpacked=len(data))
        self.at += len(data)
        said = self.at - self.header - tarfile.BLOCKSIZE
        if said > MAX_SAID:
            raise self._account.says_too_much()
        if said > 0:
            self._account.count(headers=said * len(data))
        return data


def _around(member: _Member) -> str:
    """The innermost good folder on the way to a member."""
    *folders, last = member.name.replace("\\", "/").split("/")
    way = [part for part in (*folders, last if member.kind == "folder" else ".") if part != "."]
    good = takewhile(lambda part: not _is_junk(part) and _fits(part), way)
    path = "/".join(part for part in good if part)
    return path if len(path) <= MAX_PATH else ""


def _is_junk(part: str) -> bool:
    return part.startswith(".") or part in IGNORED


def _fits(part: str) -> bool:
    """Whether a disk takes it as a name."""
    return is_text(part) and "\0" not in part and len(part.encode()) <= MAX_PART


def _opener(path: Path) -> Open:
    def open_it() -> BinaryIO:
        return path.open("rb")

    return open_it


def _zip_name(info: zipfile.ZipInfo) -> str:
    """A member's name; many programs write UTF-8 and do not say so."""
    name = info.orig_filename
    if info.flag_bits & UTF_8:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _kind(mode: int) -> str:
    kinds = {0: "file", stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(mode), "device")
