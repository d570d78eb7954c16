"""Home mode: bots play in ordinary processes, which are not confined."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

HOME = "ARENA_HOME"  # Environment variable that chooses home mode; child processes inherit it.
NOT_CONFINED = "home mode: bots are not confined here, and results are not for grading"


def at_home() -> bool:
    """Return True in home mode: by choice, or on another system than Linux."""
    return is_home_chosen() or not has_sandbox()


def is_home_chosen() -> bool:
    return bool(os.environ.get(HOME))


def has_sandbox() -> bool:
    """Return True on Linux, the only system with a sandbox."""
    return sys.platform == "linux"


def choose_home() -> None:
    os.environ[HOME] = "1"


@contextmanager
def home_mode(*, wanted: bool) -> Iterator[None]:
    before = os.environ.get(HOME, "")
    if wanted:
        choose_home()
    try:
        yield
    finally:
        os.environ[HOME] = before
