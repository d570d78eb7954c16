"""Where operating systems differ."""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlite3 import Connection

# Signals that end a command; Windows has no SIGHUP.
ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def available_cores() -> list[int]:
    """Return the cores that this process may use, ascending."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def windows_flags() -> int:
    """Return Popen's flags for no window and no Ctrl-C on Windows; 0 elsewhere."""
    import subprocess  # takes time

    names = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")
    return sum(getattr(subprocess, name, 0) for name in names)


def crash_without_dialog() -> None:
    """Let a crash end this process at once; Windows would first show a dialog."""
    try:
        windows: Any = import_module("msvcrt")
    except ImportError:
        return
    windows.SetErrorMode(windows.SEM_NOGPFAULTERRORBOX)


def peak_bytes() -> int:
    """Return the most bytes of memory that this process has used; 0 if unknown."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # Windows
        return 0
    most = getrusage(RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def limit_of(resource: str) -> int | None:
    """Return this process's soft limit, given a name like "DATA"; None without one."""
    try:
        import resource as limits
    except ImportError:  # Windows
        return None
    limit, _ = limits.getrlimit(getattr(limits, f"RLIMIT_{resource}"))
    return None if limit == limits.RLIM_INFINITY else limit


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Read from an open file; its position stays. Raises OSError."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    before = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, offset, os.SEEK_SET)
    try:
        return os.read(descriptor, size)
    finally:
        os.lseek(descriptor, before, os.SEEK_SET)


def lock(path: Path, seconds: float = 0.0) -> Connection | None:
    """Lock an empty file; return None if another process has locked it.

    `close` of the result unlocks it. SQLite's locks are the same on all systems, end with their
    process, and forks do not share them. Waits for up to `seconds`. Raises OSError.
    """
    import sqlite3  # takes time

    if not path.exists():
        path.touch()
    held = sqlite3.connect(path, timeout=seconds, isolation_level=None, check_same_thread=False)
    try:
        held.execute("PRAGMA journal_mode = OFF")  # or there would be another file
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        held.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return None
        raise OSError(errno.EIO, f"cannot be locked: {error}", str(path)) from None
    return held


def is_locked(path: Path) -> bool:
    import sqlite3

    read_only = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(read_only, timeout=0, uri=True)) as file:
            file.execute("SELECT name FROM sqlite_schema").fetchall()
    except sqlite3.Error as error:
        return error.sqlite_errorcode == sqlite3.SQLITE_BUSY
    return False
