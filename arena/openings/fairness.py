"""Judging openings by games: no side may win them all, and a good player must hold either side.

A search that sees neither side ahead is not enough. On most boards the side to move then still
scores 54 to 64 % in play, and a position that is drawn by perfect play can ask one side for a row
of only moves that no homework finds.

Openings for books are chosen here, and the fairness of any openings is measured.

What is asked of a book's openings beyond `new_openings`: those of the common game are proven drawn
by the solver. On larger boards, and where the most lines win, that is out of reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from arena.common.errors import UnsolvedError
from arena.engine import Engine, Solver
from arena.engine.opening_values import opening_values
from arena.openings.drawing import Opening
from arena.rules import RULESETS, Position, Ruleset

REFERENCE_NODES = 10_000
"""The reference's budget a move in a contest."""

TRIAL_NODES = (1_000, 2_000, 4_000)
"""Budgets of the engine's trial games with itself, of which neither side may win all."""

HELD_DEPTH = 4
"""Plies that a plain alpha-beta search looks ahead to which the reference must not lose."""

MOST_CELLS = 100
"""Cells of the largest board on which games are played to judge an opening: beyond that they take
seconds each."""


class Judge:
    """Plays games from openings of one ruleset."""

    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self._engine = Engine(rules)
        self._plain = Engine.plain(rules)

    def is_fair(self, columns: tuple[int, ...]) -> bool:
        """Return whether neither side wins all trial games, and the reference can hold both."""
        scores = [self.mover_score(columns, nodes) for nodes in TRIAL_NODES]
        return 1 <= sum(scores) <= len(scores) - 1 and not any(
            self._loses(columns, reference) for reference in (0, 1)
        )

    def mover_score(self, columns: tuple[int, ...], nodes: int = REFERENCE_NODES) -> float:
        """Return what the side to move scores, 1, ½ or 0, when the engine plays itself."""
        position = Position(self._rules, columns)
        mover = position.to_move
        while not position.is_over:
            position.play(self._engine.search(position, nodes=nodes).column)
        return 0.5 if position.winner is None else float(position.winner == mover)

    def _loses(self, columns: tuple[int, ...], reference: int) -> bool:
        """Return whether the reference as that player loses to the plain search."""
        position = Position(self._rules, columns)
        while not position.is_over:
            if position.to_move == reference:
                found = self._engine.search(position, nodes=REFERENCE_NODES)
            else:
                found = self._plain.search(position, depth=HELD_DEPTH)
            position.play(found.column)
        return position.winner == 1 - reference


class Balance:
    """Keeps the side to move level over all the openings that are taken.

    By how much it is ahead depends on the board and on how deep a search looks, so no rule for a
    single opening levels all boards. The judge's games at the reference's budget do.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._lead = 0.0

    def takes(self, columns: tuple[int, ...]) -> bool:
        """Return whether to take an opening: not if it would put the side ahead further ahead."""
        over = self._judge.mover_score(columns) - 0.5
        if over * self._lead > 0:
            return False
        self._lead += over
        return True


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
