"""The files of a submission that is an archive, unpacked in a confined process when read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from arena.intake.answers import texts
from arena.intake.archive import ArchiveFiles, is_place
from arena.intake.confined import Garbled, confined_items
from arena.intake.files import MAX_FILES, MAX_PATH


class PackedFiles:
    """Files in a `.zip`, `.tar` or `.tar.gz`, and in archives inside it."""

    def __init__(self, path: Path, names: object, executables: object) -> None:
        """Take names as a confined process found them. Raises Garbled for ones that are none."""
        self._path = path
        self.names = texts(names, MAX_FILES, MAX_PATH)
        self._executables = frozenset(texts(executables, MAX_FILES, MAX_PATH))
        if not all(map(is_place, self.names)) or len({*self.names}) < len(self.names):
            raise Garbled

    def read(self, name: str) -> bytes:
        """The bytes of one file. Raises OSError, Unreadable."""
        ((_, data),) = self._unpacked([name])
        return data

    def all(self) -> Iterator[tuple[str, bytes]]:
        """Every file's name and bytes. Raises OSError, Unreadable."""
        return self._unpacked(self.names)

    def is_executable(self, name: str) -> bool:
        """Whether its owner may run it as a program."""
        return name in self._executables

    def _unpacked(self, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        path = str(self._path.absolute())
        items = confined_items(read_packed, path, list(names), readable=[self._path])
        for name, data in zip(names, items, strict=True):
            if not isinstance(data, bytes):
                raise Garbled
            yield name, data


def read_packed(at: Callable[[str], None], path: str, names: Sequence[str]) -> Iterator[bytes]:
    """The bytes of files in an archive, one after another. Raises OSError, Unreadable."""
    at(Path(path).name)
    files = ArchiveFiles(Path(path))
    for name in names:
        yield files.read(name)
