"""Books of openings: a CSV file for each of the named rules, found once and shipped with Arena.

The openings of the common game's book are proven drawn.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.errors import unwritable
from arena.rules import MAX_SIDE, RULESETS, Ruleset, format_moves, parse_moves
from arena.writing import partial_path

BOOKS = Path(__file__).parent / "shipped"
"""Folder with a book for each of the named rules."""

MOST_PLIES = MAX_SIDE * MAX_SIDE
"""More than any opening has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A position to start from."""

    columns: tuple[int, ...]
    """The moves that lead to it from the empty board."""

    evaluation: int
    """Static evaluation under fifty-ten, for player 0."""

    search_value: int
    """Value of a search of SEARCH_NODES under fifty-ten, for the side to move."""

    exact: int | None = None
    """Its exact value for the side to move, as `arena.engine.Solver` counts it, if it is known."""


def read_book(rules: Ruleset, min_plies: int = 0, max_plies: int = MOST_PLIES) -> list[Opening]:
    """Return the openings of so many plies in the book of these rules; none if there is none."""
    for name, known in RULESETS.items():
        path = BOOKS / f"{name}.csv"
        if known == rules and path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                book = map(_from_row, csv.DictReader(file))
                return [each for each in book if min_plies <= len(each.columns) <= max_plies]
    return []


def _from_row(row: dict[str, str]) -> Opening:
    return Opening(
        columns=parse_moves(row["moves"]),
        evaluation=0,
        search_value=int(row["search_value"]),
        exact=int(row["exact"]) if row["exact"] else None,
    )


def write_book(path: Path, openings: Iterable[Opening]) -> Iterator[Opening]:
    """Write a book as `read_book` reads it, and yield the openings as they come.

    Until the last is there the book is called `path`.partial. Raises InputError, StorageError.
    """
    partial = partial_path(path)
    try:
        with partial.open("w", encoding="utf-8", newline="", buffering=1) as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["moves", "search_value", "exact"])
            for opening in openings:
                exact = "" if opening.exact is None else opening.exact
                rows.writerow([format_moves(opening.columns), opening.search_value, exact])
                yield opening
        partial.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None
