"""The engine: search and exact solver, compiled by numba.

Names are imported on use, because importing numba takes half a second.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arena.common.errors import UnsolvedError

if TYPE_CHECKING:
    from arena.engine.search import WON, Engine, SearchResult
    from arena.engine.solver import Solved, Solver

__all__ = ["WON", "Engine", "SearchResult", "Solved", "Solver", "Unsolved"]
Unsolved = UnsolvedError  # Old name in `bots/reference.py`, whose bytes are part of its game keys.


def __getattr__(name: str) -> Any:
    homes = dict.fromkeys(("WON", "Engine", "SearchResult"), "search")
    homes |= dict.fromkeys(("Solved", "Solver"), "solver")
    if name not in homes:
        raise AttributeError(f"module 'arena.engine' has no attribute {name!r}")
    return getattr(import_module(f"arena.engine.{homes[name]}"), name)
