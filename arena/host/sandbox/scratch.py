"""The quota of a bot's folder, and its guard.

Where the zygote can mount, the folder is a file system of its own, as large as it may get. That
takes privileges. Without them every call that opens a file for writing, or makes one, waits until
the zygote has looked how much is there (`supervisor`).
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress

FILES = 256
"""Files, folders and links that a bot may make."""

FILE_SIZE = 16 << 20
"""Bytes of the largest file a bot may write, its printed output included."""

BYTES = 64 << 20
"""Bytes of all of them from which on nothing more is opened for writing. What is open then can
grow on, each to FILE_SIZE."""

CACHE = ".numba"
"""Folder in it for compiled code, which is kept from game to game: all else is removed."""

RESERVE = 256 << 20
"""Bytes that must stay free on the disk for a bot without a file system of its own to write."""

BROUGHT = struct.Struct("<qqi")
"""Message of a bot's process to its supervisor: files and bytes that it brought along, and its
process id as those outside its namespace see it."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Quota:
    """The supervisor's side of a folder: grants files until there are enough."""

    def __init__(self, folder: int, files: int, size: int) -> None:
        """Watch the folder that is open as `folder`, with so many files and bytes in it already."""
        self._folder = folder
        self._brought = files, size
        self._grants = 0  # files that can be granted before the next look at what is there

    def close(self) -> None:
        """Watch no longer."""
        os.close(self._folder)

    def grant(self) -> bool:
        """Return True if one more file may be opened for writing."""
        if not self._grants:
            free = os.fstatvfs(self._folder)
            files, size = self._used()
            if files >= FILES or size >= BYTES or free.f_bavail * free.f_frsize < RESERVE:
                return False
            self._grants = max(1, min(FILES - files, (BYTES - size) // FILE_SIZE))
        self._grants -= 1
        return True

    def _used(self) -> tuple[int, int]:
        """Number and total size of what the bot made there."""
        brought, size_brought = self._brought
        files, size = used(self._folder, FILES + brought)
        return files - brought, size - size_brought


def used(folder: int, most: int) -> tuple[int, int]:
    """Number and total size of what is below an open folder; looks into none beyond `most`.

    Nothing is followed, and each folder is opened as one: its owner may replace anything by a link,
    or by what hangs whoever opens it, while this looks. Raises OSError.
    """
    files = size = 0
    pending = [os.open(".", _FOLDER, dir_fd=folder)]
    try:
        while pending and files < most:
            opened = pending.pop()
            try:
                with os.scandir(opened) as entries:
                    for entry in entries:
                        files += 1
                        with suppress(OSError):
                            if entry.is_dir(follow_symlinks=False):
                                pending.append(os.open(entry.name, _FOLDER, dir_fd=opened))
                            else:
                                info = os.lstat(entry.name, dir_fd=opened)
                                size += max(info.st_size, info.st_blocks * 512)
            finally:
                os.close(opened)
    finally:
        for opened in pending:
            os.close(opened)
    return files, size
