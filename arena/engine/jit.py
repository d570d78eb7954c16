"""Compiling the engine's functions, with machine code stored on disk.

numba's own cache checks only a function's own file, but compiled code contains functions of other
files. It also reads only from writable folders, but a sandboxed bot can write nowhere. So machine
code is in the folder chosen by `arena.engine.machine_code`. Without a folder, or if numba's
internals have changed, functions are compiled in memory.
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


def entry(function: Compilable) -> Any:
    """Compile a function that Python calls, and store its machine code.

    numba does so at the first call. The function runs without Python's lock, so threads can search
    in parallel.
    """
    return _dispatcher(function, nogil=True)


def compiled(function: Compilable) -> Any:
    """Compile a function for compiled callers only, which is faster than an `entry`."""
    return _dispatcher(function, no_cpython_wrapper=True)


def inlined(function: Compilable) -> Any:
    """Compile a function as a part of its callers, as passing named tuples costs time."""
    return _dispatcher(function, no_cpython_wrapper=True, forceinline=True)


class _Locator:
    """The folder of numba's cache; numba calls these methods."""

    def __init__(self, function: Compilable, folder: Path) -> None:
        self._line = function.__code__.co_firstlineno
        self._folder = folder

    @classmethod
    def from_function(cls, function: Compilable, _file: str) -> _Locator | None:
        folder = cache_folder()
        return None if folder is None else cls(function, folder)

    def ensure_cache_path(self) -> None:
        """Do nothing: the folder exists, and may be read-only."""

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


def _dispatcher(function: Compilable, **options: Any) -> Any:
    # no arrays are created, so none are counted; nothing is divided by 0; no C code calls this
    options |= {"_nrt": False, "error_model": "numpy", "no_cfunc_wrapper": True}
    dispatcher = numba.njit(**options)(function)
    # compile in memory if there is no folder, or numba's internals have changed
    with suppress(ImportError, AttributeError, TypeError, RuntimeError):
        dispatcher._cache = _engine_cache()(function)
    return dispatcher


@cache
def _engine_cache() -> Any:
    """Return numba's class for function caches, using the engine's folder."""
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
