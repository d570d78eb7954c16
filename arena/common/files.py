"""Writing files and folders completely or not at all.

A rename from a temporary name replaces the old version at once.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows has none.
MOST_BELOW = 100  # Characters of a path in a folder to be removed; a longer one is moved up.


def partial_path(path: Path, *, hidden: bool = False) -> Path:
    return path.with_name(f"{'.' if hidden else ''}{path.name}.partial")


def write_file(
    path: Path, data: str | bytes, *, durable: bool = False, hidden: bool = False
) -> None:
    """Write a file atomically; text is written as UTF-8. Raises OSError.

    With `durable` the data is on disk before the rename: a crash could otherwise leave an empty
    file. With `hidden` the temporary name starts with a dot.
    """
    partial = partial_path(path, hidden=hidden)
    try:
        with open(partial, "wb", opener=_open_no_link) as file:
            file.write(data.encode("utf-8") if isinstance(data, str) else data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise


def _open_no_link(path: str, flags: int) -> int:
    if os.path.islink(path):
        os.unlink(path)
    return os.open(path, flags | NO_LINK, 0o666)


@contextmanager
def new_folder(path: Path, *, hidden: bool = False) -> Iterator[Path]:
    """Yield an empty folder that replaces `path` unless the block raises.

    Raises OSError.
    """
    partial = partial_path(path, hidden=hidden)
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        yield partial
        if path.exists():
            shutil.rmtree(path)
        partial.rename(path)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def remove_tree(folder: str) -> None:
    """Remove a folder as far as possible, also one too deep for shutil.rmtree."""
    numbers = count()
    pending, found = [folder], list[str]()
    while pending:
        current = pending.pop()
        found.append(current)
        with suppress(OSError):
            os.chmod(current, 0o700)
            for entry in [*os.scandir(current)]:
                with suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        _unlink(entry)
                    elif len(entry.path) < len(folder) + MOST_BELOW:
                        pending.append(entry.path)
                    else:  # paths have a longest length
                        moved = os.path.join(folder, f"{next(numbers)}.deep")
                        os.rename(entry.path, moved)
                        pending.append(moved)
    for each in reversed(found):
        with suppress(OSError):
            os.rmdir(each)


def _unlink(entry: os.DirEntry[str]) -> None:
    try:
        os.unlink(entry.path)
    except PermissionError:
        if entry.is_symlink():
            raise
        os.chmod(entry.path, 0o600)  # Windows does not remove read-only files
        os.unlink(entry.path)
