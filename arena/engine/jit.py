"""Compilation of the engine's functions, and their machine code on disk.

numba's own cache lies beside a function's source file, or in the user's cache folder. It does not
do for the engine, for two reasons. It looks at a function's own file only, while what is compiled
has functions of other files inside. And it reads only where it may write, while a confined bot
that uses the engine may write nowhere. So machine code is kept in the folder that
`arena.engine.machine_code` chooses.

Nothing here is needed for a right answer. Where no folder can be had, or numba has changed inside,
functions are compiled in memory, for this process only.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numba

from arena.engine.machine_code import cache_folder

Compilable = Callable[..., Any]


def compiled(function: Compilable) -> Any:
    """Compile with numba at the first call, and keep the machine code on disk.

    Without reference counts: compiled code is handed its arrays, and makes none. And without
    Python's lock, so that threads can search at the same time, each with a stack of its own.
    """
    return _dispatcher(function, {"_nrt": False, "nogil": True})


def inlined(function: Compilable) -> Any:
    """For a function that is called all the time: it becomes part of the function that calls it.

    Every array of a named tuple costs time to hand over, so that is most of them.
    """
    return _dispatcher(function, {"_nrt": False, "forceinline": True})


class _Locator:
    """Tells numba's cache where to look."""

    def __init__(self, function: Compilable, folder: Path) -> None:
        self._line = function.__code__.co_firstlineno
        self._folder = folder

    @classmethod
    def from_function(cls, function: Compilable, _file: str) -> _Locator | None:
        folder = cache_folder()
        return None if folder is None else cls(function, folder)

    def ensure_cache_path(self) -> None:
        """Do nothing: the folder is there, and may be read-only."""

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


def _dispatcher(function: Compilable, options: dict[str, Any]) -> Any:
    dispatcher = numba.njit(**options)(function)
    # numba may have changed inside, or there be no folder: then compile in memory
    with suppress(ImportError, AttributeError, TypeError, RuntimeError):
        dispatcher._cache = _engine_cache()(function)
    return dispatcher


@cache
def _engine_cache() -> Any:
    """Return the class of numba's function cache, but with the folder chosen here."""
    caching: Any = import_module("numba.core.caching")

    class Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (_Locator,)

    class EngineCache(caching.FunctionCache):  # type: ignore[misc]
        _impl_class = Implementation

        def save_overload(self, signature: Any, data: Any) -> None:
            try:
                super().save_overload(signature, data)
            except OSError:
                self.disable()  # a read-only folder, or a full disk

    return EngineCache
