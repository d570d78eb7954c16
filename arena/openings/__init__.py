"""Openings: the positions that games start from, drawn at random or from a book.

`arena.openings.fairness`, which makes the books, imports numba. So it is not imported here.
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
