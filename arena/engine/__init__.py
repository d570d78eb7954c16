"""The engine: search and exact solver, compiled by numba, which takes half a second to import."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arena.common.errors import UnsolvedError

if TYPE_CHECKING:
    from arena.engine.search import WON, Engine, SearchResult
    from arena.engine.solver import Solved, Solver

__all__ = ["WON", "Engine", "SearchResult", "Solved", "Solver", "Unsolved"]

Unsolved = UnsolvedError
"""The name by which `bots/reference.py` knows it, whose bytes are part of its games' keys."""


def __getattr__(name: str) -> Any:
    """Import what is asked for: `arena.engine.machine_code` alone brings no numba."""
    homes = dict.fromkeys(("WON", "Engine", "SearchResult"), "search")
    homes |= dict.fromkeys(("Solved", "Solver"), "solver")
    if name not in homes:
        raise AttributeError(f"module 'arena.engine' has no attribute {name!r}")
    return getattr(import_module(f"arena.engine.{homes[name]}"), name)
