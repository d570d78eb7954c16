"""Making the books of openings, and measuring how fair openings are.

What is asked of a book's openings beyond `new_openings`: those of the common game are proven drawn
by the solver. Where that is out of reach, on larger boards and where the most lines win, they are
even in play: the engine against itself at several strengths does not always win for the same side.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from arena.engine import Engine, Solver, Unsolved
from arena.errors import InputError
from arena.openings import Opening
from arena.rules import RULESETS, Position, Ruleset, format_moves

REFERENCE_NODES = 10_000
"""The reference's budget a move in a contest."""

TRIAL_NODES = (300, 1_000)
"""Budgets of the games that must come out even. The reference's own is not among them, so that
its games stay a test of the book."""

SOLVE_NODES = 20_000_000
"""Positions after which an opening counts as not solved."""

PROOF_NODES = 3_000_000
"""The same for openings of a book, of which there are many to choose from."""


def fair(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    """The openings that are proven drawn, or where that is out of reach even in play."""
    if rules == RULESETS["classic"]:
        return drawn(openings, rules)
    return even(openings, rules)


def drawn(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    """The openings that are proven drawn in PROOF_NODES positions."""
    solver = Solver(rules)
    for opening in openings:
        position = Position(rules, opening.columns)
        with suppress(Unsolved):
            if solver.value(position, nodes=PROOF_NODES, low=-1, high=1) == 0:
                yield replace(opening, exact=0)


def label(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    """Openings with their exact values, those that can be solved in SOLVE_NODES positions."""
    solver = Solver(rules)
    for opening in openings:
        exact = opening.exact
        if exact is None:
            with suppress(Unsolved):
                exact = solver.value(Position(rules, opening.columns), nodes=SOLVE_NODES)
        yield replace(opening, exact=exact)


def even(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    """The openings from which neither side does better, over games at several strengths."""
    engine = Engine(rules)
    for opening in openings:
        scores = [_mover_score(engine, opening, nodes) for nodes in TRIAL_NODES]
        if sum(scores) == len(scores) / 2:
            yield opening


def mover_scores(openings: Iterable[Opening], rules: Ruleset) -> Iterator[float]:
    """What the side to move scores, 1, ½ or 0, when the reference plays itself from each."""
    engine = Engine(rules)
    return (_mover_score(engine, opening, REFERENCE_NODES) for opening in openings)


def _mover_score(engine: Engine, opening: Opening, nodes: int) -> float:
    position = Position(engine.rules, opening.columns)
    mover = position.to_move
    while not position.is_over:
        position.play(engine.search(position, nodes=nodes).column)
    return 0.5 if not position.winner else float(position.winner == mover)


def write_book(path: Path, openings: Iterable[Opening]) -> Iterator[Opening]:
    """Write a book as `arena.openings.read_book` reads it; yields the openings as they come.

    Until the last is there the book is called `path`.partial. Raises InputError.
    """
    partial = path.with_name(f"{path.name}.partial")
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
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
