"""The members of a `.zip`, `.tar` or `.tar.gz`, one after another, however it was made.

What an archive says of itself is never believed: every byte that is unpacked is counted, and
whatever a damaged one makes the standard library raise is an UnreadableError.
"""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

from arena.errors import TooLargeError, UnreadableError
from arena.intake.files import MAX_BYTES, MAX_FILES
from arena.naming import is_unopened_archive
from arena.quoting import one_line

CHUNK = 1 << 18
"""Bytes unpacked at a time, before they are counted."""

MAX_HEADERS = 8 << 10
"""Bytes of headers before one member of a .tar: longer ones cost far more than they are long."""

MAX_COMMON = 100
"""What a .tar may say of all its members."""

DIRECTORY_ENTRY = b"PK\1\2"
"""What each entry in the table of contents of a .zip begins with."""

MAX_DIRECTORY = 64 << 20
"""Bytes of the longest table of contents of a .zip."""

MAX_NAMES = 50_000
"""Entries of the longest table of contents that is read only for its names."""

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
    """The most that may come out of an archive and all those inside it."""

    files: int = MAX_FILES
    """Files that count."""

    size: int = MAX_BYTES
    """Bytes of the files that count; all that is unpacked on the way may be three times as much."""


MAX_ENTRIES = 200_000
"""Files, folders and junk in the largest archive of a class."""


class Account:
    """The account of one archive. An archive inside another spends what is left of the same."""

    def __init__(self, archive: str, allowance: Allowance, around: Account | None = None) -> None:
        self.archive = one_line(archive, 80)
        """The archive's name, as sentences say it."""
        self.allowance = allowance
        nothing = {"entries": 0, "files": 0, "size": 0, "unpacked": 0, "headers": 0}
        self._spent: dict[str, int] = around._spent if around else nothing
        self._limits = {
            "entries": min(20 * allowance.files, MAX_ENTRIES),
            "files": allowance.files,
            "size": allowance.size,
            "unpacked": 3 * allowance.size,
            # the work they make grows with the square of their length
            "headers": allowance.files << 20,
        }

    @property
    def entries(self) -> int:
        """The most entries that the archive may have."""
        return self._limits["entries"] - self._spent["entries"]

    def spent(self) -> dict[str, int]:
        """Return a copy of what was spent so far."""
        return dict(self._spent)

    def count(self, **spent: int) -> None:
        """Add to the account. Raises TooLargeError, for headers UnreadableError."""
        for what, amount in spent.items():
            self._spent[what] += amount
            if self._spent[what] > self._limits[what]:
                raise self.says_too_much() if what == "headers" else self.too_much()

    def says_too_much(self) -> UnreadableError:
        """Return what to raise for a .tar with headers out of all proportion."""
        return UnreadableError(f"{self.archive} says far too much about its files; hand in a .zip")

    def too_much(self) -> TooLargeError:
        """Return what to raise for an archive that holds more than it may."""
        limits = f"{self.allowance.files} files or {self.allowance.size >> 20} MB"
        return TooLargeError(f"{self.archive} holds more than {limits}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
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


def members(open_it: Open, account: Account) -> Iterator[Member]:
    """Yield what is in an archive, one after another. Raises UnreadableError."""
    with open_it() as file:
        head = file.read(512)
    if not head:
        raise UnreadableError(f"{account.archive} is empty")
    if head.startswith((b"Rar!", b"7z\xbc\xaf")) or is_unopened_archive(account.archive):
        raise UnreadableError(f"{account.archive} is of a kind that is not opened; hand in a .zip")
    is_gzip = head.startswith(b"\x1f\x8b")
    is_tar = is_gzip or head[257:262] == b"ustar"
    is_zip = head.startswith(b"PK") or (account.archive.lower().endswith(".zip") and not is_tar)
    zipped, tarred = partial(_zip_members, open_it), partial(_tar_members, open_it, is_gzip)
    for member in _sound(partial(zipped if is_zip else tarred, account), account):
        account.count(entries=1)
        yield member


def names_in(path: Path) -> list[str]:
    """Names in a `.zip` as it says them, nothing if it cannot be read or says too many."""
    try:
        file = _Reopened(
            lambda: path.open("rb"), MAX_DIRECTORY, MAX_NAMES, TooLargeError(path.name)
        )
        with file, zipfile.ZipFile(file) as archive:
            return [_zip_name(info) for info in archive.infolist()]
    except (*DAMAGE, UnreadableError):
        return []


def _sound(parts: Callable[[], Iterator[T]], account: Account) -> Iterator[T]:
    """Yield what `parts` yields; all that a damaged archive raises becomes UnreadableError."""
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
    most = min(2048 * account.allowance.files, MAX_DIRECTORY)
    file = _Reopened(open_it, most, account.entries, account.too_much())
    # left open for members that are read later; there is nothing to close
    archive = zipfile.ZipFile(file)
    for info in archive.infolist():
        mode = info.external_attr >> 16
        kind = "folder" if info.filename.endswith(("/", "\\")) else _kind(mode)
        yield Member(
            name=_zip_name(info),
            kind=kind,
            executable=bool(mode & stat.S_IXUSR),
            chunks=partial(_sound, partial(_zip_bytes, archive, info, account), account),
            stays=True,
        )


def _zip_bytes(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, account: Account
) -> Iterator[bytes]:
    if info.flag_bits & ENCRYPTED:
        raise UnreadableError(f"{account.archive} has a password; hand it in without one")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableError(
            f"{account.archive} is packed in an unusual way; hand in an ordinary .zip"
        )
    with archive.open(info) as member:
        while chunk := member.read(CHUNK):
            yield chunk


def _tar_members(open_it: Open, is_gzip: bool, account: Account) -> Iterator[Member]:
    _refuse_many(open_it, is_gzip, account)
    with open_it() as file:
        stream = _Counted(gzip.GzipFile(fileobj=file) if is_gzip else file, account)
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
                    raise account.says_too_much()
                if info.sparse is not None or info.size < 0:
                    raise UnreadableError(f"{account.archive} holds a file with holes in it")
                if info.size > account.allowance.size:
                    raise account.too_much()
                stream.header = archive.offset
                kind = "folder" if info.isdir() else "file" if info.isreg() else "link"
                yield Member(
                    name=info.name,
                    kind="device" if info.isdev() else kind,
                    executable=bool(info.mode & stat.S_IXUSR),
                    chunks=partial(_sound, partial(_tar_bytes, archive, info), account),
                    stays=False,
                )
        # what is wrong with a .gz is told at its end
        stream.header = stream.at + tarfile.RECORDSIZE
        stream.read(tarfile.RECORDSIZE)


def _refuse_many(open_it: Open, is_gzip: bool, account: Account) -> None:
    """Raise TooLargeError if the headers of a .tar, read alone, show too many members."""
    left = account.entries
    with (
        open_it() as file,
        gzip.GzipFile(fileobj=file) if is_gzip else file as stream,
        suppress(*DAMAGE),
    ):
        while left >= 0 and any(header := stream.read(tarfile.BLOCKSIZE)):
            left -= header[156:157] in b"01234567\0"  # else the long name of the next
            size = tarfile.nti(header[124:136])  # type: ignore[attr-defined]
            if not 0 <= stream.tell() + size <= account.allowance.size:
                break
            if size:
                stream.seek(-(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE, io.SEEK_CUR)
    if left < 0:
        raise account.too_much()


def _tar_bytes(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Iterator[bytes]:
    member = archive.extractfile(info)
    while member and (chunk := member.read(CHUNK)):
        yield chunk


class _Reopened(io.RawIOBase):
    """A .zip that is open only while it is read: a class has more archives than descriptors.

    Its table of contents is read at once, by its size and not by the count that it claims. Raises
    the error if it has more than `most` bytes or `entries` entries, before they are parsed.
    """

    def __init__(self, open_it: Open, most: int, entries: int, error: Exception) -> None:
        self._open = open_it
        self._most = most
        self._entries = entries
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
        parts: list[bytes] = []
        entries = 0
        with self._open() as file:
            file.seek(self._at)
            while part := file.read(min(CHUNK, wanted)):
                entries += part.count(DIRECTORY_ENTRY)
                if entries > self._entries:
                    raise self._error
                parts.append(part)
                wanted -= len(part)
        data = b"".join(parts)
        self._at += len(data)
        return data


class _Counted(io.RawIOBase):
    """The bytes of a .tar, each of them on an archive's account."""

    at: int
    """Bytes read so far."""

    header: int
    """Where the next member begins."""

    def __init__(self, stream: io.BufferedIOBase | BinaryIO, account: Account) -> None:
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
        headers = self.at - self.header - tarfile.BLOCKSIZE
        if headers > MAX_HEADERS:
            raise self._account.says_too_much()
        if headers > 0:
            self._account.count(headers=headers * len(data))
        return data


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
