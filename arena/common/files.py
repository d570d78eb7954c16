"""Files and folders that are written whole or not at all.

Until all of it is there it has another name beside the one that it is to have; then it is renamed,
which the system does at once. What was there before stays until then.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def partial_path(path: Path, *, hidden: bool = False) -> Path:
    """Return the name that a file or folder has until it is whole."""
    return path.with_name(f"{'.' if hidden else ''}{path.name}.partial")


def write_file(
    path: Path, data: str | bytes, *, durable: bool = False, hidden: bool = False
) -> None:
    """Write a file, as UTF-8 if it is text. Raises OSError.

    With `durable` it is on the disk before it has its name: a machine that crashes may else leave
    an empty file. With `hidden` its name begins with a dot until it is whole.
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
    """Open a file that is to be written; a link that lies there is removed, not followed."""
    if os.path.islink(path):
        os.unlink(path)
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


@contextmanager
def new_folder(path: Path, *, hidden: bool = False) -> Iterator[Path]:
    """Yield an empty folder that takes the place of `path` when the block ends.

    If the block raises, the new folder is removed and `path` stays as it was. Raises OSError.
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
