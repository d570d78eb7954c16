"""The engine: search on the line table, compiled by numba. Importing it costs half a second."""

from arena.engine.search import WON, Engine, Found
from arena.engine.solver import Solved, Solver, Unsolved

__all__ = ["WON", "Engine", "Found", "Solved", "Solver", "Unsolved"]
