"""How the engine's functions are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Function = Callable[..., Any]


def compiled(function: Function) -> Any:
    """Compile with numba at the first call, and keep the machine code on disk.

    Without reference counts: compiled code is handed its arrays, and makes none.
    """
    options: dict[str, Any] = {"cache": True, "_nrt": False}
    return numba.njit(**options)(function)


def inlined(function: Function) -> Any:
    """The same for a small function that is called all the time: it becomes part of its callers."""
    options: dict[str, Any] = {"cache": True, "_nrt": False, "forceinline": True}
    return numba.njit(**options)(function)
