"""Copying a bot's files into the folder in which it plays, before it is confined."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from arena.host.bot_folder import BYTES, CACHE, FILES, UNTOUCHED, BotFolder
from arena.host.sandbox.namespaces import mount_scratch

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
PAGE = 4096  # Bytes of a block of a mounted folder; each file fills whole blocks.


class CopiedFolder(BotFolder):
    def __init__(
        self, path: str, source: int, compiled: int | None, *, mounted: bool, owner: int | None
    ) -> None:
        """Make the folder and copy the bot's files into it. Raises OSError.

        `source` is a descriptor of the files' folder, `compiled` one of a folder to copy as CACHE.
        All copies belong to the user `owner`, if any. With `mounted` the folder is a separate file
        system, with room for what a bot may write.
        """
        brought = list(_walk(source))
        super().__init__(path, tuple(name for name, _ in brought))
        kept = [] if compiled is None else list(_walk(compiled))
        # number of files and folders at the beginning
        self.files = len(brought) + len(kept) + (compiled is not None)
        # disk space that they use
        self.bytes = sum(-(-info.st_size // PAGE) * PAGE for _, info in brought + kept)
        self._owner = owner
        os.mkdir(path, 0o700)
        if mounted:
            mount_scratch(path, BYTES + self.bytes, FILES + self.files + 1)  # 1 for the folder
        self._fill(path, source, brought)
        if compiled is not None:
            cache = os.path.join(path, CACHE)
            os.mkdir(cache, 0o700)
            self._fill(cache, compiled, kept)
            self._give(cache)
        self._give(path)

    def _fill(self, path: str, source: int, names: list[tuple[str, os.stat_result]]) -> None:
        folders = []
        for name, info in names:
            target = os.path.join(path, name)
            if stat.S_ISDIR(info.st_mode):
                os.mkdir(target, 0o700)
                folders.append(target)
            else:
                _copy(source, name, target, info)
                self._give(target)
        for folder in reversed(folders):
            self._give(folder)

    def _give(self, path: str) -> None:
        """Give a path to the bot, with UNTOUCHED times."""
        os.utime(path, ns=(UNTOUCHED, UNTOUCHED))
        if self._owner is not None:
            os.chown(path, self._owner, self._owner)


def _walk(folder: int) -> Iterator[tuple[str, os.stat_result]]:
    pending = [""]
    while pending:
        below = pending.pop()
        opened = os.open(below or ".", _FOLDER, dir_fd=folder)
        try:
            with os.scandir(opened) as entries:
                for entry in entries:
                    name = os.path.join(below, entry.name)
                    info = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(info.st_mode):
                        pending.append(name)
                    elif not stat.S_ISREG(info.st_mode):
                        continue
                    yield name, info
        finally:
            os.close(opened)


def _copy(folder: int, name: str, target: str, info: os.stat_result) -> None:
    original = open_noatime(name, _FILE, folder)
    try:
        copy = os.open(target, _NEW, 0o700 if info.st_mode & stat.S_IXUSR else 0o600)
        try:
            while os.sendfile(copy, original, None, max(info.st_size, 1)):
                pass
        finally:
            os.close(copy)
    finally:
        os.close(original)


def open_noatime(path: str, flags: int, folder: int | None = None) -> int:
    """Open a file without changing its access time, if possible. Raises OSError."""
    try:
        return os.open(path, flags | os.O_NOATIME, dir_fd=folder)
    except PermissionError:  # another user owns the file
        return os.open(path, flags, dir_fd=folder)
