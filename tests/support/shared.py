"""Folders: those that one pytest worker makes for all, and what is in a folder."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder `name`, filled once by `make(folder)`.

    Other workers wait for it. Tests must not change it.
    """
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / name
    with folder.with_suffix(".lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if not os.fstat(lock.fileno()).st_size:  # nobody has finished it
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                lock.write("made")
        finally:
            lock.flush()
            fcntl.flock(lock, fcntl.LOCK_UN)  # a process that was started meanwhile may have it
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return the data of each file below a folder, the target of each link, b"" for a folder."""
    return {
        str(path.relative_to(folder)): os.readlink(path).encode() if path.is_symlink()
        else path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }  # fmt: skip
