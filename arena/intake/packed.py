"""Archives that are unpacked in a confined process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.common.errors import GarbledError
from arena.common.text import one_line
from arena.intake.archive import Allowance, ArchiveFiles, is_safe_path, stream
from arena.intake.confined import EXPORT, confined_items, texts
from arena.intake.files import MAX_FILES, MAX_PATH, NO_FILES, Files, WithMore


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


def unpack(path: Path, folder: Path, allowance: Allowance) -> tuple[str, ...]:
    """Unpack a course's archive into an empty folder; return what was left out.

    Raises OSError, UnreadableError.
    """
    written = _Unpacking(folder, allowance.files)
    arguments = (os.path.abspath(path), allowance.files, allowance.size)
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
    return stream(Path(path), Allowance(files=files, size=size))
