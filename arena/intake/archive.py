"""Read `.zip`, `.tar` and `.tar.gz`, trusting nothing that an archive states.

Every unpacked byte is counted. The time that headers take is bounded by the process that reads
them. All errors of damaged archives become UnreadableError.

- Refused: paths that leave the folder (`..`, `/`, `C:/`) or are too long, too many files or bytes,
  passwords, damage, other formats (.rar, .7z).
- Left out, with a note: links, devices, names that are not UTF-8. An inner archive that cannot be
  opened stays packed. Of files with the same name the last counts.
- Without a note: hidden files and junk are dropped, backslashes become slashes, unmarked UTF-8
  names are read as UTF-8.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from os.path import basename
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple, TypeVar, cast

from arena.common.errors import GarbledError, TooLargeError, UnreadableError
from arena.common.names import archive_stem, is_any_archive, is_unopened_archive
from arena.common.text import one_line, some_of
from arena.intake.confined import EXPORT, confined, confined_items, texts
from arena.intake.files import MAX_BYTES, MAX_FILES, MAX_PATH, Files, is_junk, is_text
from arena.intake.reading import At

CHUNK = 1 << 18  # Bytes unpacked at a time, before they are counted.
ENCRYPTED, UTF_8 = 0x1, 0x800  # Flags of a .zip's member.

# Errors of the standard library for a damaged archive.
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

T = TypeVar("T")
Open = Callable[[], BinaryIO]

MAX_ENTRIES = 200_000  # Files, folders and junk in the largest archive of a class.


class Account:
    """What an archive and its inner archives may still hold. Junk does not count.

    `size` is the most bytes of the counted files; three times as many may be unpacked in total.
    """

    def __init__(self, archive: str, files: int, size: int) -> None:
        self._limits = f"{one_line(archive, 80)} holds more than {files} files or {size >> 20} MB"
        entries = min(20 * files, MAX_ENTRIES)
        self._left = {"entries": entries, "files": files, "size": size, "unpacked": 3 * size}

    def count(self, **spent: int) -> None:
        """Subtract from what is left. Raises TooLargeError."""
        for what, amount in spent.items():
            self._left[what] -= amount
            if self._left[what] < 0:
                raise TooLargeError(self._limits)


class Member(NamedTuple):
    name: str
    kind: str
    executable: bool
    chunks: Iterator[bytes]
    """To be read before the next member."""


def members(open_it: Open, archive: str, account: Account) -> Iterator[Member]:
    """Yield the members of an archive in order. Raises UnreadableError."""
    with open_it() as file:
        head = file.read(512)
    if not head:
        raise UnreadableError(f"{archive} is empty")
    if head.startswith((b"Rar!", b"7z\xbc\xaf")) or is_unopened_archive(archive):
        raise UnreadableError(f"{archive} is of a kind that Arena does not open; hand in a .zip")
    is_gzip = head.startswith(b"\x1f\x8b")
    is_tar = is_gzip or head[257:262] == b"ustar"
    is_zip = head.startswith(b"PK") or (archive.lower().endswith(".zip") and not is_tar)
    zipped, tarred = _zip_members(open_it, archive), _tar_members(open_it, is_gzip, account)
    for member in _checked(zipped if is_zip else tarred, archive):
        account.count(entries=1)
        yield member._replace(chunks=_checked(member.chunks, archive))


def zip_names(path: Path) -> list[str]:
    """Return the names in a `.zip`; none if the file is unreadable."""
    try:
        with zipfile.ZipFile(path) as archive:
            return [_zip_name(info) for info in archive.infolist()]
    except DAMAGE:
        return []


def _checked(parts: Iterator[T], archive: str) -> Iterator[T]:
    try:
        yield from parts
    except UnreadableError:
        raise
    except UnicodeDecodeError:
        raise UnreadableError(f"{archive} holds a name that is not valid UTF-8") from None
    except NotImplementedError as error:
        raise UnreadableError(f"{archive} cannot be unpacked: {error}") from None
    except DAMAGE as error:
        detail = one_line(str(error), 100) or type(error).__name__
        raise UnreadableError(f"{archive} is damaged or no archive: {detail}") from None


def _zip_members(open_it: Open, archive: str) -> Iterator[Member]:
    with open_it() as file, zipfile.ZipFile(file) as opened:
        for info in opened.infolist():
            mode = info.external_attr >> 16
            kind = "folder" if info.filename.endswith(("/", "\\")) else _kind(mode)
            chunks = _zip_bytes(opened, info, archive)
            yield Member(_zip_name(info), kind, bool(mode & stat.S_IXUSR), chunks)


def _zip_bytes(opened: zipfile.ZipFile, info: zipfile.ZipInfo, archive: str) -> Iterator[bytes]:
    if info.flag_bits & ENCRYPTED:
        raise UnreadableError(f"{archive} has a password; hand it in without one")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableError(f"{archive} has unusual packing; hand in an ordinary .zip")
    with opened.open(info) as member:
        yield from iter(partial(member.read, CHUNK), b"")


def _tar_members(open_it: Open, is_gzip: bool, account: Account) -> Iterator[Member]:
    with open_it() as file:
        counted = _CountedStream(gzip.GzipFile(fileobj=file) if is_gzip else file, account)
        # as a stream, nothing is read twice or ahead, and every byte is counted
        with tarfile.open(fileobj=cast("BinaryIO", counted), mode="r|", encoding="utf-8") as opened:
            for info in opened:
                if info.sparse is not None or info.size < 0:
                    raise tarfile.TarError("a sparse file")
                kind = "folder" if info.isdir() else "file" if info.isreg() else "link"
                kind = "device" if info.isdev() else kind
                chunks = _tar_bytes(opened, info)
                yield Member(info.name, kind, bool(info.mode & stat.S_IXUSR), chunks)
        counted.read(tarfile.RECORDSIZE)  # to the end, where a .gz reports damage


class _CountedStream:
    def __init__(self, stream: io.BufferedIOBase | BinaryIO, account: Account) -> None:
        self._stream = stream
        self._account = account

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._account.count(unpacked=len(data))
        return data


def _tar_bytes(opened: tarfile.TarFile, info: tarfile.TarInfo) -> Iterator[bytes]:
    if member := opened.extractfile(info):
        yield from iter(partial(member.read, CHUNK), b"")


def _zip_name(info: zipfile.ZipInfo) -> str:
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


MAX_DEPTH = 3  # Levels of archives in archives that are opened.
MAX_PART = 255  # Bytes of the longest file name that disks accept.
MAX_NOTE = 1000  # Characters of a note.
NAMED = 3  # Left-out entries that a note names; the others are counted.


class ArchiveFiles(Files):
    """Files in an archive, in memory; those of an inner archive lie in a folder.

    Raises OSError if the archive cannot be read, UnreadableError if it is refused.
    """

    notes: tuple[str, ...]

    def __init__(self, path: Path, open_it: Open | None = None) -> None:
        reading = _ArchiveReading(path.name, Account(path.name, MAX_FILES, MAX_BYTES), 1)
        self._found = reading.read(open_it or (lambda: path.open("rb")))
        if not self._found:
            raise UnreadableError(f"{path.name} holds no files{reading.left_out(', only ')}")
        left_out = reading.left_out(f"left out of {path.name}: ")
        self.notes = (*reading.notes, *filter(None, [left_out]))
        self.names = tuple(sorted(self._found, key=PurePosixPath))

    def read(self, name: str) -> bytes:
        return self._found[name].data

    def is_executable(self, name: str) -> bool:
        return self._found[name].executable


def is_safe_path(name: str) -> bool:
    """Return True for a relative path that stays in its folder and is not too long."""
    return len(name) <= MAX_PATH and all(
        part not in ("", ".", "..") and _fits(part) and _stays(part) for part in name.split("/")
    )


class _FoundFile(NamedTuple):
    executable: bool
    data: bytes


class _ArchiveReading:
    def __init__(self, archive: str, account: Account, depth: int) -> None:
        self.archive = one_line(archive, 80)
        self.account = account
        self.notes: list[str] = []
        self._depth = depth
        self._odd: list[str] = []

    def left_out(self, prefix: str) -> str:
        return f"{prefix}{some_of(self._odd, NAMED)}" if self._odd else ""

    def place(self, member: Member) -> str | None:
        """Return a member's path; None if it is left out. Raises UnreadableError."""
        name = member.name.replace("\\", "/")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        shown = one_line(member.name, 60)
        is_whole = name.startswith("/") or re.match("[A-Za-z]:/", name)
        if is_whole or ".." in parts or not all(map(_stays, parts)):
            raise self._bad_path("that leaves its folder", shown)
        if member.kind == "folder" or not parts or any(map(is_junk, parts)):
            return None
        is_sound = is_text(name) and "\0" not in name
        if not is_sound or member.kind != "file":
            odd = member.kind if is_sound else "its name is not valid UTF-8"
            self._odd.append(f"{shown} ({odd})")
            return None
        path = "/".join(parts)
        if len(path) > MAX_PATH or not all(map(_fits, parts)):
            raise self._bad_path("that is too long", shown)
        return path

    def _bad_path(self, what: str, shown: str) -> UnreadableError:
        return UnreadableError(f"{self.archive} holds a path {what} ({shown})")

    def read(self, open_it: Open) -> dict[str, _FoundFile]:
        """Return the archive's files by name. Raises UnreadableError."""
        found: dict[str, _FoundFile] = {}
        for member in members(open_it, self.archive, self.account):
            name = self.place(member)
            if name is not None:
                self.account.count(files=name not in found)
                found[name] = _FoundFile(member.executable, b"".join(self.chunks(member)))
        for name in sorted(found):
            if is_any_archive(name):
                self._open_inner(found, name)
        for name in found:
            if len(name) > MAX_PATH:
                raise self._bad_path("that is too long", one_line(name, 60))
        folders = {str(parent) for name in found for parent in PurePosixPath(name).parents}
        for name in sorted(folders.intersection(found)):
            del found[name]
            self._odd.append(f"{one_line(name, 60)} (also a folder)")
        return found

    def chunks(self, member: Member) -> Iterator[bytes]:
        size = 0
        for chunk in member.chunks:
            self.account.count(size=len(chunk), unpacked=len(chunk))
            yield chunk
            size += len(chunk)
            if size > MAX_BYTES:
                break

    def _open_inner(self, found: dict[str, _FoundFile], name: str) -> None:
        inside = f"{self.archive}/{one_line(name, 60)}"
        if self._depth >= MAX_DEPTH:
            self.notes.append(f"{inside} stays packed: it lies {MAX_DEPTH} archives deep")
            return
        archive = found.pop(name)
        self.account.count(files=-1, size=-len(archive.data))
        inner = _ArchiveReading(inside, self.account, self._depth + 1)
        try:
            files = inner.read(partial(io.BytesIO, archive.data))
        except TooLargeError:
            raise
        except UnreadableError as error:
            self.notes.append(f"{error}; it stays packed")
            found[name] = archive
            self.account.count(files=1, size=len(archive.data))
            return
        folder = archive_stem(name)
        if not is_text(folder) or folder in found or any(n.startswith(f"{folder}/") for n in found):
            folder = name
        found.update({f"{folder}/{file}": what for file, what in files.items()})
        self.notes.extend(inner.notes)
        self._odd.extend(f"{name}/{odd}" for odd in inner._odd)


def _folder_of(member: Member) -> str:
    *folders, last = member.name.replace("\\", "/").split("/")
    way = [part for part in (*folders, last if member.kind == "folder" else ".") if part != "."]
    good = takewhile(lambda part: not is_junk(part) and _fits(part), way)
    path = "/".join(part for part in good if part)
    return path if len(path) <= MAX_PATH else ""


def _stays(part: str) -> bool:
    return basename(part) == part  # on Windows `C:bot.py` would be on a drive


def _fits(part: str) -> bool:
    return is_text(part) and "\0" not in part and len(part.encode()) <= MAX_PART


class PackedFiles(Files):
    def __init__(self, path: Path, names: object, executables: object) -> None:
        """Check `names` and `executables` from a confined process. Raises GarbledError."""
        self.path = path
        self.names = safe_paths(names)
        self._executables = frozenset(texts(executables, MAX_FILES, MAX_PATH))

    def read(self, name: str) -> bytes:
        ((_, data),) = self._unpacked([name])
        return data

    def all(self) -> Iterator[tuple[str, bytes]]:
        return self._unpacked(self.names)

    def is_executable(self, name: str) -> bool:
        return name in self._executables

    def _unpacked(self, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        path = str(self.path.absolute())
        items = confined_items(read_packed, path, list(names), readable=[self.path])
        for name, data in zip(names, items, strict=True):
            if not isinstance(data, bytes):
                raise GarbledError
            yield name, data


def read_packed(at: At, path: str, names: Sequence[str]) -> Iterator[bytes]:
    """Yield the bytes of the named files. Raises OSError, UnreadableError."""
    at(Path(path).name)
    files = ArchiveFiles(Path(path))
    for name in names:
        yield files.read(name)


def packed_files(path: Path, called: str) -> tuple[PackedFiles, tuple[str, ...]]:
    """Return the files in an archive, and notes. Raises OSError, UnreadableError."""
    match confined(list_packed, os.path.abspath(path), called, readable=[path]):
        case [names, executables, notes]:
            return PackedFiles(path, names, executables), texts(notes, MAX_FILES, MAX_NOTE)
    raise GarbledError


def list_packed(at: At, path: str, called: str) -> list[Sequence[str]]:
    at(called)
    source = Path(path)
    files = ArchiveFiles(Path(called), lambda: source.open("rb"))
    executables = [name for name in files.names if files.is_executable(name)]
    return [files.names, executables, files.notes]


def safe_paths(names: object) -> tuple[str, ...]:
    """Return `names` if they are unique, safe paths. Raises GarbledError."""
    known = texts(names, MAX_FILES, MAX_PATH)
    if not all(map(is_safe_path, known)) or len({*known}) < len(known):
        raise GarbledError
    return known


def unpack(
    path: Path, folder: Path, files: int = MAX_FILES, size: int = MAX_BYTES
) -> tuple[str, ...]:
    """Unpack a course's archive into an empty folder; return what was left out.

    Raises OSError, UnreadableError.
    """
    written = _Unpacking(folder, files)
    arguments = os.path.abspath(path), files, size
    for item in confined_items(read_export, *arguments, readable=[path], limits=EXPORT):
        written.take(item)
    return tuple(written.left_out)


class _Unpacking:
    def __init__(self, folder: Path, files: int) -> None:
        self._folder = folder
        self._files = files
        self._file: Path | None = None
        self._clashes = False
        self.left_out: list[str] = []

    def take(self, item: object) -> None:
        """Write the next piece from `read_export`. Raises OSError, GarbledError."""
        match item:
            case ["folder", str(name)]:
                self._file = None
                self._clashes = not self._make(name) if name else False
            case ["file", str(name), bool(executable)] if is_safe_path(name):
                if not self._clashes and self._make(name, executable):
                    self._file = self._folder / name
                self._files -= 1
            case bytes():
                if self._file is not None:
                    self._file.write_bytes(item)
            case ["odd", str(what)]:
                self.left_out.append(one_line(what))
            case _:
                raise GarbledError
        if self._files < 0:
            raise GarbledError

    def _make(self, name: str, executable: bool | None = None) -> bool:
        """Make a folder, or a file if `executable` is set; return False if the name is taken."""
        if not is_safe_path(name):
            raise GarbledError
        path = self._folder / name
        try:
            if executable is None:
                path.mkdir(parents=True, exist_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(b"")
                path.chmod(0o755 if executable else 0o644)
        except (FileExistsError, IsADirectoryError, NotADirectoryError):
            self.left_out.append(one_line(f"{name} is both a file and a folder"))
            return False
        return True


def read_export(at: At, path: str, files: int, size: int) -> Iterator[list[object] | bytes]:
    """Yield the contents of an archive of many submissions, piece by piece.

    Pieces are `["folder", NAME]`, `["file", NAME, EXECUTABLE]` and then its bytes, and for
    something left out `["odd", WHAT]`. Inner archives stay packed. A bad path leaves out only its
    own file. Files are cut off at MAX_BYTES. Raises OSError, UnreadableError.
    """
    source = Path(path)
    at(source.name)
    reading = _ArchiveReading(source.name, Account(source.name, files, size), MAX_DEPTH)
    for member in members(lambda: source.open("rb"), reading.archive, reading.account):
        try:
            # a folder shows that there was a submission, even if nothing of it is left
            yield ["folder", _folder_of(member)]
            name = reading.place(member)
            if name is not None:
                reading.account.count(files=1)
                data = b"".join(reading.chunks(member))
                yield ["file", name, member.executable]
                yield data
        except TooLargeError:
            raise
        except UnreadableError as error:
            yield ["odd", str(error)]
    if odd := reading.left_out(""):
        yield ["odd", odd]
