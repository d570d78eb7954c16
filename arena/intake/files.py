"""The files of one submission, on disk, in an archive or in memory."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

from arena.common.errors import UnreadableError
from arena.intake.reading import At

IGNORED = ("__pycache__", "__MACOSX", "Thumbs.db")  # Made by Python and operating systems.
MAX_FILES = 2000
MAX_BYTES = 64 << 20  # Limits of a submission that is copied into a contest.
ELF = b"\x7fELF"  # First bytes of a compiled program.
MAX_PATH = 500  # Characters of the longest path in a submission.


class Files(ABC):
    names: tuple[str, ...]
    """Relative paths with `/`, sorted as paths, without junk."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """Return the bytes of one file. Raises OSError, UnreadableError."""

    def all(self) -> Iterator[tuple[str, bytes]]:
        """Yield every file's name and bytes. Raises OSError, UnreadableError."""
        return ((name, self.read(name)) for name in self.names)

    @abstractmethod
    def is_executable(self, name: str) -> bool:
        """Return True if the file's owner may execute it."""


class LooseFiles(Files):
    """Files on disk; each is read under a given name, which may differ from its path."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self.paths = paths
        self.names = tuple(sorted(paths, key=PurePosixPath))

    def read(self, name: str) -> bytes:
        return self.paths[name].read_bytes()

    def is_executable(self, name: str) -> bool:
        return os.access(self.paths[name], os.X_OK)


class FolderFiles(LooseFiles):
    def __init__(self, folder: Path, names: tuple[str, ...]) -> None:
        super().__init__({name: folder / name for name in names})
        self.folder = folder


class WithMore(Files):
    """Files, with others in memory that replace those of the same name."""

    def __init__(
        self, files: Files, more: Mapping[str, bytes], executables: Collection[str] = ()
    ) -> None:
        self.files = files
        self.more = more
        self.names = tuple(sorted({*files.names, *more}, key=PurePosixPath))
        self._executables = executables

    def read(self, name: str) -> bytes:
        return self.more[name] if name in self.more else self.files.read(name)

    def all(self) -> Iterator[tuple[str, bytes]]:
        yield from ((name, data) for name, data in self.files.all() if name not in self.more)
        yield from self.more.items()

    def is_executable(self, name: str) -> bool:
        if name in self.more:
            return name in self._executables
        return self.files.is_executable(name)


class WatchedFiles(Files):
    """Files that call `at` with a file's name before reading it."""

    def __init__(self, files: Files, at: At) -> None:
        self._files = files
        self._at = at
        self.names = files.names

    def read(self, name: str) -> bytes:
        self._at(name)
        return self._files.read(name)

    def is_executable(self, name: str) -> bool:
        return self._files.is_executable(name)


NO_FILES = FolderFiles(Path(), ())


def content_hash(files: Files) -> str:
    """Return 16 hexadecimal digits: a hash of all names and bytes.

    Raises OSError, UnreadableError.
    """
    digest = hashlib.sha256()
    for name in files.names:
        data = files.read(name)
        digest.update(f"{name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:16]


def is_runnable(head: bytes) -> bool:
    return head.startswith((ELF, b"#!"))


def write_files(files: Files, folder: Path) -> None:
    """Write all files into a folder. Raises OSError, UnreadableError."""
    for name, data in files.all():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        # an archive may have lost a program's mode
        if files.is_executable(name) or is_runnable(data):
            target.chmod(0o755)


def holds(folder: Path, digest: str) -> bool:
    try:
        return content_hash(folder_files(folder)) == digest
    except (OSError, UnreadableError):
        return False


def folder_files(folder: Path) -> FolderFiles:
    """Return the files in a folder, without junk. Raises UnreadableError."""
    names: list[str] = []
    size = 0
    try:
        for name in walk(folder):
            if not os.access(folder / name, os.R_OK):
                raise UnreadableError(f"{name} cannot be read")
            size += (folder / name).stat().st_size
            if len(names) >= MAX_FILES or size > MAX_BYTES:
                limit = f"{MAX_FILES} files or {MAX_BYTES >> 20} MB"
                raise UnreadableError(f"its folder holds more than {limit}")
            names.append(name)
    except OSError as error:
        raise UnreadableError(f"its folder cannot be read: {error.strerror}") from None
    return FolderFiles(folder, tuple(sorted(names, key=PurePosixPath)))


def walk(folder: Path) -> Iterator[str]:
    """Yield files' paths, without junk and links. Raises OSError, UnreadableError."""
    pending = [""]
    while pending:
        below = pending.pop()
        for name in sorted(entry.name for entry in os.scandir(folder / below)):
            path = folder / below / name
            relative = f"{below}/{name}" if below else name
            if is_junk(name) or not is_text(name) or path.is_symlink():
                continue
            if len(relative) > MAX_PATH:
                raise UnreadableError(f"a path in its folder is longer than {MAX_PATH} characters")
            if path.is_dir():
                pending.append(relative)
            elif path.is_file():
                yield relative


def is_junk(name: str) -> bool:
    return name.startswith(".") or name in IGNORED


def listing(folder: Path) -> list[Path]:
    """Return the paths in a folder, sorted, without junk. Raises OSError."""
    return [child for child in sorted(folder.iterdir()) if not is_junk(child.name)]


def is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
