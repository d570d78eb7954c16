"""A bot process's private folder: the one place it can write to, and how full that may get.

Where the zygote can mount, the folder is a file system of its own, as large as it may get. That
takes privileges. Without them every call that opens a file for writing, or makes one, waits in the
kernel until the zygote has looked how much is there (seccomp_unotify(2)).
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import struct
from collections.abc import Mapping
from contextlib import suppress

from arena.host.namespaces import mount_scratch, unmount

FILES = 256
"""Files, folders and links that a bot may make."""

FILE_SIZE = 16 << 20
"""Bytes of the largest file a bot may write, its printed output included."""

BYTES = 64 << 20
"""Bytes of all of them from which on nothing more is opened for writing. What is open then can
grow on, each to FILE_SIZE."""

SHOWN = 500
"""Files and folders of its own that a bot finds in its working directory; more would take long."""

CACHE = ".numba"
"""Folder in it for compiled code, which is kept from game to game: all else is removed."""

RESERVE = 256 << 20
"""Bytes that must stay free on the disk for a bot without a file system of its own to write."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
"""SECCOMP_IOCTL_NOTIF_RECV and _SEND."""

_CALL_BYTES = 80
_VERDICT = struct.Struct("<QqiI")
_CONTINUE = 1


class Scratch:
    """The zygote's side: makes the folder, grants files, removes all of it."""

    def __init__(self, path: str, root: str, mounted: bool) -> None:
        """Make the folder at `path`, for a bot with its files in `root`. Raises OSError."""
        self.path = path
        self._shown = len(_shown(root))
        self._mounted = mounted
        self._grants = 0  # files that can be granted before the next look at what is there
        os.mkdir(path, 0o700)
        if mounted:
            mount_scratch(path, BYTES, FILES + self._shown + 1)  # one for the folder

    def answer(self, listener: int) -> None:
        """Take one waiting call from a bot's listener and grant or refuse it."""
        call = bytearray(_CALL_BYTES)
        try:
            fcntl.ioctl(listener, _RECEIVE, call)
            (number,) = struct.unpack_from("<Q", call)
            error, flags = (0, _CONTINUE) if self._grant() else (-errno.ENOSPC, 0)
            fcntl.ioctl(listener, _SEND, _VERDICT.pack(number, 0, error, flags))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EINTR):  # the caller has ended meanwhile
                raise

    def remove(self) -> None:
        """Remove it and all that is in it."""
        with suppress(OSError):
            if self._mounted:
                unmount(self.path)
            os.rmdir(self.path)
            return
        shutil.rmtree(self.path, ignore_errors=True)

    def _grant(self) -> bool:
        """Whether one more file may be opened for writing."""
        if not self._grants:
            free = os.statvfs(self.path)
            files, size = self._used()
            if files >= FILES or size >= BYTES or free.f_bavail * free.f_frsize < RESERVE:
                return False
            self._grants = max(1, min(FILES - files, (BYTES - size) // FILE_SIZE))
        self._grants -= 1
        return True

    def _used(self) -> tuple[int, int]:
        """Number and total size of what is there, as far as it is allowed.

        Nothing is followed, and each folder is opened as one: its owner may replace anything by
        a link, or by what hangs whoever opens it, while this looks.
        """
        files, size = -self._shown, 0
        pending = [os.open(self.path, _FOLDER)]
        try:
            while pending and files < FILES:
                folder = pending.pop()
                try:
                    with os.scandir(folder) as entries:
                        for entry in entries:
                            files += 1
                            with suppress(OSError):
                                if entry.is_dir(follow_symlinks=False):
                                    pending.append(os.open(entry.name, _FOLDER, dir_fd=folder))
                                else:
                                    info = os.lstat(entry.name, dir_fd=folder)
                                    size += max(info.st_size, info.st_blocks * 512)
                finally:
                    os.close(folder)
        finally:
            for folder in pending:
                os.close(folder)
        return files, size


class Workplace:
    """The bot's side: a working directory that shows the bot's own files and takes new ones."""

    def __init__(self, path: str, root: str) -> None:
        """Furnish the folder at `path` for a bot with its files in `root`. Raises OSError."""
        self.path = path
        self._root = root
        self._shown = frozenset(_shown(root))
        self._show()
        os.utime(path, (0, 0))  # a time that no bot can set again: it is not let

    def enter(self) -> None:
        """Be there, with nothing left from the last game."""
        os.chdir(self.path)
        if not os.stat(".").st_mtime_ns:
            return  # nothing was ever made here
        entries = [entry for entry in os.scandir(".") if entry.name != CACHE]
        if {e.name for e in entries} != self._shown or not all(e.is_symlink() for e in entries):
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)
            self._show()

    def keep(self, files: Mapping[str, bytes]) -> None:
        """Put compiled code into its CACHE, by paths there; where that is not let, it is not there.

        Called by the bot's process once it is confined, so that the files are the bot's own.
        """
        with suppress(OSError):
            for name, data in files.items():
                path = os.path.join(self.path, CACHE, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)

    def _show(self) -> None:
        """Link the bot's own files to where a bot at home would find them."""
        for name in self._shown:
            os.symlink(os.path.join(self._root, name), os.path.join(self.path, name))


def _shown(root: str) -> list[str]:
    """Names in a bot's folder that its working directory shows."""
    return sorted(os.listdir(root))[:SHOWN]
