"""Ways to what bots need through folders that are private: an interpreter in somebody's home.

A bot that runs as a user of its own cannot enter such a folder, whatever Landlock allows below it.
In a mount namespace the folder can be covered by an empty one in which only those ways are. See
mount_namespaces(7).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress

from arena.host.namespaces import mount_again, mount_empty, unmount


def private_folder(paths: Iterable[str]) -> str | None:
    """The first folder on the way to one of these paths that others than its owner cannot pass."""
    for path in sorted(paths):
        parts = os.path.abspath(path).split(os.sep)[:-1]
        for end in range(1, len(parts)):
            folder = os.sep.join(parts[: end + 1])
            if not os.stat(folder).st_mode & stat.S_IXOTH:
                return folder
    return None


def needed() -> frozenset[str]:
    """Return the paths of this interpreter and of Arena that every bot reads, and their targets."""
    package = os.path.dirname(os.path.dirname(__file__))
    paths = (
        sys.prefix,
        sys.base_prefix,
        sys.executable,
        package,
        *filter(os.path.exists, sys.path),
    )
    return frozenset(by(path) for path in paths for by in (os.path.abspath, os.path.realpath))


def open_up(paths: Iterable[str]) -> tuple[str, ...]:
    """Have every user reach these files and folders; returns the folders that were covered.

    If anything is not to be had in that way, nothing is covered.
    """
    left = _outermost(paths)
    covered: list[str] = []
    try:
        while (folder := private_folder(left)) is not None:
            below = [path for path in left if path.startswith(folder + os.sep)]
            left = [path for path in left if path not in below]
            _cover(folder, below, covered)
    except OSError:
        close(covered)
        return ()
    return tuple(covered)


def close(covered: Iterable[str]) -> None:
    """Take the covers off again."""
    for folder in covered:
        with suppress(OSError):
            unmount(folder)


def _outermost(paths: Iterable[str]) -> list[str]:
    """Those of the paths that lie in no other of them."""
    found: list[str] = []
    for path in sorted(paths):
        if not any(path.startswith(other + os.sep) for other in found):
            found.append(path)
    return found


def _cover(folder: str, paths: list[str], covered: list[str]) -> None:
    """Cover a folder with one in which only these paths are. Raises OSError."""
    there = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths}
    mask = os.umask(0o022)
    try:
        mount_empty(folder)
        covered.append(folder)
        for path, opened in there.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if stat.S_ISDIR(os.fstat(opened).st_mode):
                os.mkdir(path)
            else:
                with open(path, "xb"):
                    pass
            mount_again(opened, path)
    finally:
        os.umask(mask)
        for opened in there.values():
            os.close(opened)
