"""Openings for books are chosen here, and the fairness of any openings is measured.

What is asked of a book's openings beyond `new_openings`: those of the common game are proven drawn
by the solver. On larger boards, and where the most lines win, that is out of reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from arena.engine import Solver
from arena.engine.opening_values import opening_values
from arena.errors import UnsolvedError
from arena.openings.books import Opening
from arena.openings.fairness import Balance, Judge
from arena.rules import RULESETS, Position, Ruleset

SOLVE_NODES = 20_000_000
"""Positions after which an opening counts as not solved."""

PROOF_NODES = 3_000_000
"""The same for openings of a book, of which there are many to choose from."""


def proven(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    """Yield the openings that are fit for a book: of the common game only those proven drawn."""
    if rules != RULESETS["classic"]:
        return iter(openings)
    balance = Balance(Judge(rules))  # anew, as draws are a little harder for the side to move
    return (opening for opening in drawn(openings, rules) if balance.takes(opening.columns))


def drawn(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    """Return the openings that are proven drawn in PROOF_NODES positions."""
    solver = Solver(rules)
    for opening in openings:
        position = Position(rules, opening.columns)
        with suppress(UnsolvedError):
            if solver.value(position, nodes=PROOF_NODES, low=-1, high=1) == 0:
                yield replace(opening, exact=0)


def label(openings: Iterable[Opening], rules: Ruleset) -> Iterator[Opening]:
    """Openings with their exact values, those that can be solved in SOLVE_NODES positions."""
    solver = Solver(rules, known=opening_values(rules))
    for opening in openings:
        exact = opening.exact
        if exact is None:
            with suppress(UnsolvedError):
                exact = solver.value(Position(rules, opening.columns), nodes=SOLVE_NODES)
        yield replace(opening, exact=exact)


def mover_scores(openings: Iterable[Opening], rules: Ruleset) -> Iterator[float]:
    """Yield what the side to move scores, 1, ½ or 0, when the reference plays itself from each."""
    judge = Judge(rules)
    return (judge.mover_score(opening.columns) for opening in openings)
