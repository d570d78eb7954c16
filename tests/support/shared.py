"""Folders that one of pytest's workers makes for all: a contest takes as long as many tests."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of that name, which `make(folder)` filled for the first who asked.

    The others wait for it. It is every worker's, so nobody may change what is in it.
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
