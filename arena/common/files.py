"""Writing files and folders completely or not at all.

A rename from a temporary name replaces the old version at once.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


@contextmanager
def new_folder(path: Path, *, hidden: bool = False) -> Iterator[Path]:
    """Yield an empty folder that replaces `path` when the block ends.

    If the block raises, `path` stays unchanged. Raises OSError.
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
