"""Make a book of openings: `python -m arena_lab.opening_book max arena/openings/shipped/max.csv`.

Openings of the common game's book are also proven drawn. On larger boards, and where the most lines
win, such proofs are out of reach. 500 openings take up to an hour.
"""

from __future__ import annotations

import csv
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

from arena.common.errors import UnsolvedError
from arena.common.files import partial_path
from arena.engine.opening_values import opening_values
from arena.engine.solver import Solver
from arena.openings.drawing import BLOCK, Judge, Opening, balanced, new_openings
from arena.rules import RULESETS, Position, Ruleset, format_moves

PROOF_NODES = 3_000_000  # Positions after which an opening counts as unsolved; others are found.
SOLVE_NODES = 20_000_000  # The same for `label`, which is asked for openings that are kept.


def fit_for_book(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    """Yield the openings fit for a book; for the common game only drawn ones."""
    if rules != RULESETS["classic"]:
        return iter(openings)
    # drawn positions are a little harder for the side to move
    return balanced(drawn(openings, rules), BLOCK)


def label(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    """Yield the openings with their exact values, where SOLVE_NODES nodes suffice."""
    solver = Solver(rules, known=opening_values(rules))
    for opening in openings:
        exact = opening.exact
        if exact is None:
            with suppress(UnsolvedError):
                exact = solver.value(Position(rules, opening.columns), nodes=SOLVE_NODES)
        yield replace(opening, exact=exact)


def mover_scores(openings: Iterable[Opening], rules: Ruleset) -> Iterator[float]:
    """Yield each opening's `Judge.mover_score` with the reference's nodes."""
    judge = Judge(rules)
    return (judge.mover_score(opening.columns) for opening in openings)


def drawn(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    solver = Solver(rules)
    for opening in openings:
        position = Position(rules, opening.columns)
        with suppress(UnsolvedError):
            if solver.value(position, nodes=PROOF_NODES, low=-1, high=1) == 0:
                yield replace(opening, exact=0)


def scored(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    judge = Judge(rules)
    return (replace(each, mover_score=judge.mover_score(each.columns)) for each in openings)


def write_book(path: Path, openings: Iterable[Opening]) -> None:
    """Write a book that `read_book` reads, of `scored` openings.

    It is called `path`.partial until the end.
    """
    partial = partial_path(path)
    with partial.open("w", encoding="utf-8", newline="", buffering=1) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["moves", "search_value", "exact", "mover_score"])
        for number, opening in enumerate(openings, 1):
            exact = "" if opening.exact is None else opening.exact
            score = f"{opening.mover_score:g}"
            rows.writerow([format_moves(opening.columns), opening.search_value, exact, score])
            print(number, format_moves(opening.columns), flush=True)
    partial.replace(path)


def main() -> int:
    parser = ArgumentParser(prog="python -m arena_lab.opening_book", description=__doc__)
    parser.add_argument("rules", choices=RULESETS)
    parser.add_argument("path", type=Path)
    parser.add_argument("--openings", type=int, default=500)
    parser.add_argument("--plies", type=int, nargs=2, default=(8, 14), metavar=("MIN", "MAX"))
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rules = RULESETS[given.rules]
    found = fit_for_book(new_openings(rules, given.seed, *given.plies), rules)
    write_book(given.path, scored(islice(found, given.openings), rules))
    return 0


if __name__ == "__main__":
    sys.exit(main())
