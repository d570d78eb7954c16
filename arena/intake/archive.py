"""Read `.zip`, `.tar` and `.tar.gz`, trusting nothing that an archive states.

Every unpacked byte is counted. All errors of damaged archives become UnreadableError.

- Refused are archives with paths that leave the folder (`..`, `/`, `C:/`) or are too long, too many
  files or bytes, passwords, damage, excessive headers; also other formats (.rar, .7z).
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
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

from arena.common.errors import GarbledError, TooLargeError, UnreadableError
from arena.common.names import archive_stem, is_any_archive, is_unopened_archive
from arena.common.text import one_line, some_of
from arena.intake.confined import EXPORT, confined_items, texts
from arena.intake.files import (
    MAX_BYTES,
    MAX_FILES,
    MAX_PATH,
    NO_FILES,
    Files,
    WithMore,
    is_junk,
    is_text,
)

CHUNK = 1 << 18  # Bytes unpacked at a time, before they are counted.
# Bytes of headers before a member of a .tar; parsing time grows faster than their length.
MAX_HEADERS = 8 << 10
MAX_COMMON = 100  # Most global pax headers of a .tar.
DIRECTORY_ENTRY = b"PK\1\2"  # Start of each entry in a .zip's table of contents.
MAX_DIRECTORY = 64 << 20  # Bytes of the longest table of contents of a .zip.
MAX_NAMES = 50_000  # Entries of the longest table of contents that `zip_names` reads.
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
    """Counts for an archive and its inner archives. Junk does not count.

    `size` is the most bytes of the counted files; three times as many may be unpacked in total.
    """

    def __init__(self, archive: str, files: int, size: int, around: Account | None = None) -> None:
        self.archive = one_line(archive, 80)
        self.files, self.size = files, size
        nothing = {"entries": 0, "files": 0, "size": 0, "unpacked": 0, "headers": 0}
        self.spent: dict[str, int] = around.spent if around else nothing
        self._limits = {
            "entries": min(20 * files, MAX_ENTRIES),
            "files": files,
            "size": size,
            "unpacked": 3 * size,
            # the cost of headers grows with the square of their length
            "headers": files << 20,
        }

    @property
    def entries(self) -> int:
        """Entries that are still allowed."""
        return self._limits["entries"] - self.spent["entries"]

    def count(self, **spent: int) -> None:
        """Add to the counts. Raises TooLargeError; for headers, UnreadableError."""
        for what, amount in spent.items():
            self.spent[what] += amount
            if self.spent[what] > self._limits[what]:
                raise self.too_many_headers() if what == "headers" else self.too_large()

    def too_many_headers(self) -> UnreadableError:
        return UnreadableError(f"{self.archive} has far too many headers; hand in a .zip")

    def too_large(self) -> TooLargeError:
        limits = f"{self.files} files or {self.size >> 20} MB"
        return TooLargeError(f"{self.archive} holds more than {limits}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One entry of an archive, as the archive describes it."""

    name: str
    kind: str
    executable: bool
    chunks: Callable[[], Iterator[bytes]]
    stays: bool
    """Whether `chunks` still works after the next member was read."""


def members(open_it: Open, account: Account) -> Iterator[Member]:
    """Yield the members of an archive in order. Raises UnreadableError."""
    with open_it() as file:
        head = file.read(512)
    if not head:
        raise UnreadableError(f"{account.archive} is empty")
    if head.startswith((b"Rar!", b"7z\xbc\xaf")) or is_unopened_archive(account.archive):
        kind = "is of a kind that Arena does not open"
        raise UnreadableError(f"{account.archive} {kind}; hand in a .zip")
    is_gzip = head.startswith(b"\x1f\x8b")
    is_tar = is_gzip or head[257:262] == b"ustar"
    is_zip = head.startswith(b"PK") or (account.archive.lower().endswith(".zip") and not is_tar)
    zipped, tarred = partial(_zip_members, open_it), partial(_tar_members, open_it, is_gzip)
    for member in _checked(partial(zipped if is_zip else tarred, account), account):
        account.count(entries=1)
        yield member


def zip_names(path: Path) -> list[str]:
    """Return the names in a `.zip`; none if the file is unreadable or too large."""
    try:
        error = TooLargeError(path.name)
        file = _Limited(path.open("rb"), MAX_DIRECTORY, MAX_NAMES, error)
        return [_zip_name(info) for info in zipfile.ZipFile(cast("BinaryIO", file)).infolist()]
    except (*DAMAGE, UnreadableError):
        return []


def _checked(parts: Callable[[], Iterator[T]], account: Account) -> Iterator[T]:
    try:
        yield from parts()
    except UnreadableError:
        raise
    except UnicodeDecodeError:
        raise UnreadableError(f"{account.archive} holds a name that is not valid UTF-8") from None
    except NotImplementedError as error:
        raise UnreadableError(f"{account.archive} cannot be unpacked: {error}") from None
    except DAMAGE as error:
        detail = one_line(str(error), 100) or type(error).__name__
        raise UnreadableError(f"{account.archive} is damaged or no archive: {detail}") from None


def _zip_members(open_it: Open, account: Account) -> Iterator[Member]:
    most = min(2048 * account.files, MAX_DIRECTORY)
    file = _Limited(open_it(), most, account.entries, account.too_large())
    archive = zipfile.ZipFile(cast("BinaryIO", file))  # stays open for later reads
    for info in archive.infolist():
        mode = info.external_attr >> 16
        kind = "folder" if info.filename.endswith(("/", "\\")) else _kind(mode)
        yield Member(
            name=_zip_name(info),
            kind=kind,
            executable=bool(mode & stat.S_IXUSR),
            chunks=partial(_checked, partial(_zip_bytes, archive, info, account), account),
            stays=True,
        )


def _zip_bytes(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, account: Account
) -> Iterator[bytes]:
    if info.flag_bits & ENCRYPTED:
        raise UnreadableError(f"{account.archive} has a password; hand it in without one")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableError(f"{account.archive} has unusual packing; hand in an ordinary .zip")
    with archive.open(info) as member:
        while chunk := member.read(CHUNK):
            yield chunk


def _tar_members(open_it: Open, is_gzip: bool, account: Account) -> Iterator[Member]:
    with open_it() as file:
        stream = _CountedEntry(gzip.GzipFile(fileobj=file) if is_gzip else file, account)
        # as a stream, nothing is read twice or ahead, and every byte is counted
        with tarfile.open(
            fileobj=stream,
            mode="r|",
            bufsize=tarfile.BLOCKSIZE,
            encoding="utf-8",
            errors="surrogateescape",
        ) as archive:
            while (info := archive.next()) is not None:
                archive.members = []  # type: ignore[attr-defined]  # members keep their headers
                if len(archive.pax_headers) > MAX_COMMON:
                    raise account.too_many_headers()
                if info.sparse is not None or info.size < 0:
                    raise UnreadableError(f"{account.archive} holds a sparse file")
                if info.size > account.size:
                    raise account.too_large()
                stream.header = archive.offset
                kind = "folder" if info.isdir() else "file" if info.isreg() else "link"
                yield Member(
                    name=info.name,
                    kind="device" if info.isdev() else kind,
                    executable=bool(info.mode & stat.S_IXUSR),
                    chunks=partial(_checked, partial(_tar_bytes, archive, info), account),
                    stays=False,
                )
        # read to the end, where a .gz reports damage
        stream.header = stream.at + tarfile.RECORDSIZE
        stream.read(tarfile.RECORDSIZE)


def _tar_bytes(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Iterator[bytes]:
    member = archive.extractfile(info)
    while member and (chunk := member.read(CHUNK)):
        yield chunk


class _Limited:
    """A .zip file; raises `error` for a table of contents of too many bytes or entries.

    ZipFile reads the table in one piece.
    """

    def __init__(self, file: BinaryIO, most: int, entries: int, error: Exception) -> None:
        self._file = file
        self._most = most
        self._entries = entries
        self._error = error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __del__(self) -> None:
        self._file.close()

    def read(self, size: int = -1) -> bytes:
        if size > self._most:
            raise self._error
        data = self._file.read(size)
        if data.count(DIRECTORY_ENTRY) > self._entries:
            raise self._error
        return data


class _CountedEntry(io.RawIOBase):
    def __init__(self, stream: io.BufferedIOBase | BinaryIO, account: Account) -> None:
        self._stream = stream
        self._account = account
        self.at = 0  # Bytes read so far.
        self.header = 0  # Offset of the next member.

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._account.count(unpacked=len(data))
        self.at += len(data)
        headers = self.at - self.header - tarfile.BLOCKSIZE
        if headers > MAX_HEADERS:
            raise self._account.too_many_headers()
        if headers > 0:
            self._account.count(headers=headers * len(data))
        return data


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
NAMED = 3  # Left-out entries that a note names; the others are counted.


class ArchiveFiles(Files):
    """Files in an archive; those of an inner archive lie in a folder.

    Raises OSError if the archive cannot be read, UnreadableError if it is refused. A `.zip` is read
    on demand; files of a `.tar` are held in memory, compressed. `open_it` opens an archive that is
    not on disk.
    """

    notes: tuple[str, ...]
    """Sentences on what was left out."""

    def __init__(self, path: Path, open_it: Open | None = None) -> None:
        found = _ArchiveReading(Account(path.name, MAX_FILES, MAX_BYTES), 1)
        self._found = found.read(open_it or (lambda: path.open("rb")))
        if not self._found:
            raise UnreadableError(f"{path.name} holds no files{found.left_out(', only ')}")
        self.notes = (*found.notes, *filter(None, [found.left_out(f"left out of {path.name}: ")]))
        self.names = tuple(sorted(self._found, key=Path))

    def read(self, name: str) -> bytes:
        return self._found[name].read()

    def is_executable(self, name: str) -> bool:
        return self._found[name].executable


def is_safe_path(name: str) -> bool:
    """Return True for a relative path that stays in its folder and is not too long."""
    return len(name) <= MAX_PATH and all(
        part not in ("", ".", "..") and _fits(part) for part in name.split("/")
    )


def stream(path: Path, files: int, size: int) -> Iterator[list[object] | bytes]:
    """Yield the contents of an archive of many submissions, piece by piece.

    A piece is one of these:

    - `["folder", NAME]`;
    - `["file", NAME, EXECUTABLE]`, and after it the file's bytes;
    - `["bad", WHY]`: a file is left out, perhaps after its `file` piece and some bytes;
    - `["odd", WHAT]`: the other entries that are left out, once, at the end.

    Inner archives stay packed. A bad path leaves out only its own file. Files are cut off at
    MAX_BYTES. Raises OSError, UnreadableError.
    """
    account = Account(path.name, files, size)
    reading = _ArchiveReading(account, MAX_DEPTH)
    for member in members(lambda: path.open("rb"), account):
        try:
            # a folder shows that there was a submission, even if nothing of it is left
            yield ["folder", _folder_of(member)]
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


class _FoundFile(NamedTuple):
    executable: bool
    size: int
    read: Callable[[], bytes]


class _ArchiveReading:
    def __init__(self, account: Account, depth: int) -> None:
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
        if name.startswith("/") or ".." in parts or re.match("[A-Za-z]:/", name):
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
        return UnreadableError(f"{self.account.archive} holds a path {what} ({shown})")

    def read(self, open_it: Open) -> dict[str, _FoundFile]:
        """Return the archive's files by name. Raises UnreadableError."""
        found: dict[str, _FoundFile] = {}
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
                raise self._bad_path("that is too long", one_line(name, 60))
        folders = {str(parent) for name in found for parent in PurePosixPath(name).parents}
        for name in sorted(folders.intersection(found)):
            del found[name]
            self._odd.append(f"{one_line(name, 60)} (also a folder)")
        return found

    def chunks(self, member: Member) -> Iterator[bytes]:
        size = 0
        for chunk in member.chunks():
            self.account.count(size=len(chunk), unpacked=len(chunk))
            yield chunk
            size += len(chunk)
            if size > MAX_BYTES:
                break

    def _take(self, member: Member) -> _FoundFile:
        packer = zlib.compressobj(1)
        kept: list[bytes] = []
        size = 0
        for chunk in self.chunks(member):
            size += len(chunk)
            if not member.stays:
                kept.append(packer.compress(chunk))
        if member.stays:
            return _FoundFile(member.executable, size, lambda: b"".join(member.chunks()))
        packed = b"".join((*kept, packer.flush()))
        return _FoundFile(member.executable, size, lambda: zlib.decompress(packed))

    def _open_inner(self, found: dict[str, _FoundFile], name: str) -> None:
        if self._depth >= MAX_DEPTH:
            self.notes.append(
                f"{self._inside(name)} stays packed: it lies {MAX_DEPTH} archives deep"
            )
            return
        archive = found.pop(name)
        before = {what: self.account.spent[what] for what in ("files", "size")}
        self.account.count(files=-1, size=-archive.size)
        around = self.account
        account = Account(self._inside(name), around.files, around.size, around)
        inner = _ArchiveReading(account, self._depth + 1)
        try:
            files = inner.read(partial(io.BytesIO, archive.read()))
        except TooLargeError:
            raise self.account.too_large() from None
        except UnreadableError as error:
            self.notes.append(f"{error}; it stays packed")
            found[name] = archive
            self.account.spent.update(before)
            return
        folder = archive_stem(name)
        if not is_text(folder) or folder in found or any(n.startswith(f"{folder}/") for n in found):
            folder = name
        found.update({f"{folder}/{file}": what for file, what in files.items()})
        self.notes.extend(inner.notes)
        self._odd.extend(f"{name}/{odd}" for odd in inner._odd)

    def _inside(self, name: str) -> str:
        return f"{self.account.archive}/{one_line(name, 60)}"


def _folder_of(member: Member) -> str:
    *folders, last = member.name.replace("\\", "/").split("/")
    way = [part for part in (*folders, last if member.kind == "folder" else ".") if part != "."]
    good = takewhile(lambda part: not is_junk(part) and _fits(part), way)
    path = "/".join(part for part in good if part)
    return path if len(path) <= MAX_PATH else ""


def _fits(part: str) -> bool:
    return is_text(part) and "\0" not in part and len(part.encode()) <= MAX_PART


class PackedFiles(Files):
    """Files in an archive, and in archives inside it."""

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


def read_packed(at: Callable[[str], None], path: str, names: Sequence[str]) -> Iterator[bytes]:
    """Yield the bytes of the named files. Raises OSError, UnreadableError."""
    at(Path(path).name)
    files = ArchiveFiles(Path(path))
    for name in names:
        yield files.read(name)


def send_files(files: Files) -> Iterator[list[list[str]] | bytes]:
    """Yield [all names, executable names], then each file's bytes."""
    yield [list(files.names), [name for name in files.names if files.is_executable(name)]]
    for name in files.names:
        yield files.read(name)


def received_files(items: Iterator[Any]) -> Files:
    """Return what `send_files` yielded, as files. Raises OSError, UnreadableError."""
    match next(items, None):
        case [names, executables]:
            known = safe_paths(names)
            may_run = frozenset(texts(executables, MAX_FILES, MAX_PATH))
        case _:
            raise GarbledError
    data = dict(zip(known, items, strict=False))
    if len(data) < len(known) or not all(isinstance(some, bytes) for some in data.values()):
        raise GarbledError
    return WithMore(NO_FILES, data, may_run)


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
        """Write the next piece from `stream`. Raises OSError, GarbledError."""
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
                    with self._file.open("ab") as file:
                        file.write(item)
            case ["odd", str(what)]:
                self.left_out.append(one_line(what))
            case ["bad", str(why)]:
                self.left_out.append(one_line(why))
                if self._file is not None:
                    self._file.unlink()
                    self._file = None
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


def read_export(
    at: Callable[[str], None], path: str, files: int, size: int
) -> Iterator[list[object] | bytes]:
    """Yield a course's archive like `stream`. Raises OSError, UnreadableError."""
    at(Path(path).name)
    return stream(Path(path), files, size)
