"""Cores of a machine that several workers share: each is one worker's at a time."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

WAIT_SECONDS = 0.02
"""Time between two looks for a core that is free."""


def claims_folder() -> Path:
    """Return the folder with a file for each core; every user has an own one.

    Raises OSError if it is somebody else's.
    """
    folder = Path(tempfile.gettempdir()) / f"arena-cores-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user")
    return folder


@contextmanager
def claimed_core(folder: Path, cores: Sequence[int]) -> Iterator[int]:
    """Wait until one of these cores is nobody's, the first ones first, and have it for the block.

    The kernel gives it back if this process ends. Raises OSError.
    """
    while True:
        for core in cores:
            descriptor = os.open(folder / str(core), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                continue
            try:
                yield core
            finally:
                os.close(descriptor)
            return
        sleep(WAIT_SECONDS)
