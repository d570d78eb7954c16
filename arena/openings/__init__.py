"""Openings: the positions that games start from, drawn at random or from a book.

`arena.openings.fairness` makes the books. It imports numba, so it is not imported here.
"""

from arena.openings.drawing import (
    KINDS,
    Opening,
    find_openings,
    is_quiet,
    kinds_for,
    new_openings,
    read_book,
)

__all__ = [
    "KINDS",
    "Opening",
    "find_openings",
    "is_quiet",
    "kinds_for",
    "new_openings",
    "read_book",
]
