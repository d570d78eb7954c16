"""The quota of a bot's folder.

Where the zygote can mount, the folder is a file system of limited size. Elsewhere, every call that
opens a file for writing waits until the zygote has counted the folder's content (`supervisor`).
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress

from arena.host.bot_folder import BYTES, FILE_SIZE, FILES

# Bytes that must stay free on the disk for a bot without a separate file system.
RESERVE = 256 << 20

# Message of a bot's process to its supervisor: number and bytes of files brought, and the process
# id outside its namespace.
BROUGHT = struct.Struct("<qqi")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Quota:
    def __init__(self, folder: int, files: int, size: int) -> None:
        """Limit an open folder that began with `files` files of `size` bytes in all."""
        self._folder = folder
        self._brought = files, size
        self._grants = 0  # files to grant before they are counted again

    def close(self) -> None:
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
        brought, size_brought = self._brought
        files, size = used(self._folder, FILES + brought)
        return files - brought, size - size_brought


def used(folder: int, most: int) -> tuple[int, int]:
    """Return the number and total size of files below an open folder.

    Enters no further folder once `most` files are counted. Follows no links and opens only folders,
    because the bot may meanwhile replace a file by a link or a FIFO. Raises OSError.
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
