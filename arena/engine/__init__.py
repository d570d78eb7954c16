"""Search on the line table."""

from arena.engine.search import WON, Search

__all__ = ["WON", "Search"]
