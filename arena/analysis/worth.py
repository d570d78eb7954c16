"""The worth of every column of a position: exact where the solver gets, else an estimate.

An estimate comes from a search of the position after the move, its score turned into points. A
forced win or loss that this search finds is exact, if a search that leaves nothing out says in how
many plies it comes.

The formula is a logistic regression: of the points in games between house players of all levels,
that each had an opening of random moves, on the scores of their positions. So an estimate says what
players of these levels come to on the average, not what perfect play would. `arena bench
--estimates` plays such games anew, fits the factors, and measures how far estimates are off in
games that none of them was fitted to. This module imports no numba.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import exp, hypot
from typing import TYPE_CHECKING

from arena.common.errors import UnsolvedError
from arena.rules import Goal, Position, Rack, Ruleset

if TYPE_CHECKING:
    from arena.engine import SearchResult, Solver

TABLE_BITS = 22
"""A solver's table of 32 MB, of which only hard positions touch more than a little."""


@dataclass(frozen=True, slots=True)
class Worth:
    """The worth of a move for whoever makes it."""

    exact: int | None
    """Its value under perfect play, in the solver's convention: positive wins, 0 draws, negative
    loses. None where the solver does not reach."""

    chance: float
    """Expected points of the mover, 0 to 1, a draw counting as half: 1, 0.5 or 0 where the value is
    exact; else an estimate, strictly between 0 and 1."""

    @staticmethod
    @cache
    def known(value: int) -> Worth:
        """The worth of a move of that exact value. Equal ones are one object: there are millions
        in the analyses of a contest."""
        return Worth(value, (outcome(value) + 1) / 2)

    @staticmethod
    @cache
    def estimate(chance: float) -> Worth:
        """An estimated worth, likewise."""
        return Worth(None, chance)

    @staticmethod
    def of(number: float) -> Worth:
        """The worth that a `number` stands for."""
        return Worth.known(number) if isinstance(number, int) else Worth.estimate(number)

    @property
    def number(self) -> float:
        """The worth as one number, as it is kept: an int is an exact value, a float an estimate."""
        return self.chance if self.exact is None else self.exact


Worths = tuple[Worth | None, ...]
"""What each column is worth; None where there is no room."""


class Appraiser:
    """Tells the worth of every column of positions, and remembers it.

    The answers depend on the position's discs alone, and mirror images have mirrored answers. So
    games that share positions may share an appraiser, in any order.
    """

    def __init__(
        self, rules: Ruleset, nodes: int, make_solver: Callable[[], Solver] | None = None
    ) -> None:
        """The solver may search so many `nodes` for all columns of a position together."""
        # the engine takes half a second to be imported, and most commands do without
        from arena.engine import Engine, Solver

        self.rules = rules
        self.nodes = nodes
        self._engine = Engine(rules)
        self._thorough = Engine(rules, selective=False)
        self._make_solver = make_solver or (lambda: Solver(rules, table_bits=TABLE_BITS))
        self._solved: dict[Rack, Worths | None] = {}
        self._estimated: dict[Rack, Worths] = {}

    def worths(self, position: Position) -> Worths:
        """Return the worth of every column: exact where the nodes suffice, else estimated."""
        return self.solved(position) or self.estimated(position)

    def solved(self, position: Position) -> Worths | None:
        """Return the exact worth of every column; None where the nodes do not suffice."""
        face, is_mirrored = _face(position)
        rack = face.rack()
        if rack not in self._solved:
            self._solved[rack] = self._solve(face)
        worths = self._solved[rack]
        return worths[::-1] if worths is not None and is_mirrored else worths

    def estimated(self, position: Position) -> Worths:
        """Return an estimate for every column, exact where a move ends the game."""
        face, is_mirrored = _face(position)
        rack = face.rack()
        if rack not in self._estimated:
            self._estimated[rack] = self._estimate(face)
        worths = self._estimated[rack]
        return worths[::-1] if is_mirrored else worths

    def _solve(self, position: Position) -> Worths | None:
        solver, left = self._make_solver(), self.nodes
        worths: dict[int, Worth] = {}
        for column in _unlike(position):
            position.play(column)
            try:
                if position.is_over:
                    value = end_value(position)
                elif left > 0:
                    value = -solver.value(position, nodes=left)
                    left -= solver.nodes
                else:
                    return None
                worths[column] = Worth.known(value)
            except UnsolvedError:
                return None
            finally:
                position.undo()
        return _in_order(worths, position)

    def _estimate(self, position: Position) -> Worths:
        worths: dict[int, Worth] = {}
        for column in _unlike(position):
            position.play(column)
            if position.is_over:
                worths[column] = Worth.known(end_value(position))
            else:
                worths[column] = self._searched(position)
            position.undo()
        return _in_order(worths, position)

    def _searched(self, position: Position) -> Worth:
        """Return the worth, for the player who made the last move, of a position that is open."""
        from arena.engine.stack import MAX_STATIC

        found = self._engine.search(position, nodes=NODES)
        score = found.score
        if self.rules.goal is Goal.FIRST and abs(score) > MAX_STATIC:
            found = self._thorough.search(position, nodes=NODES)
        value = found_value(position, found)
        if value is not None:
            return Worth.known(-value)
        empty = self.rules.cells - position.ply
        return Worth.estimate(round(1 - expected_points(self.rules, empty, score), 3))


def found_value(position: Position, found: SearchResult) -> int | None:
    """Return the exact value that a search found for the side to move; None if it found none.

    A forced win must be the search's that leaves nothing out: any other may miss a shorter one.
    """
    from arena.engine.stack import DECIDED, WON

    left = position.rules.cells - position.ply
    sign = outcome(found.score)
    if position.rules.goal is Goal.FIRST and (plies := WON - abs(found.score)) <= found.depth:
        return sign * ((left - plies + 2) // 2)
    if found.depth < left:
        return None
    return found.score - sign * DECIDED


def _face(position: Position) -> tuple[Position, bool]:
    """Return one of a position and its mirror image, the same for both, and whether it is the
    image."""
    rack = position.rack()
    if rack <= rack[::-1]:
        return Position(position.rules, position.moves), False
    last = position.rules.columns - 1
    return Position(position.rules, [last - column for column in position.moves]), True


def _unlike(position: Position) -> list[int]:
    """Return the columns with room; of a position that is its own mirror image, the left half."""
    rack, last = position.rack(), position.rules.columns - 1
    is_even = rack == rack[::-1]
    return [column for column in position.legal() if not is_even or 2 * column <= last]


def _in_order(worths: dict[int, Worth], position: Position) -> Worths:
    """Return what each column is worth, from what is known of those that are `_unlike`."""
    last = position.rules.columns - 1
    return tuple(
        worths.get(column, worths.get(last - column)) if position.can_play(column) else None
        for column in range(last + 1)
    )


def outcome(value: int) -> int:
    """1 for a win, 0 for a draw, -1 for a loss."""
    return (value > 0) - (value < 0)


def end_value(position: Position) -> int:
    """Value of a game that is over, for the player who made the last move."""
    mover = 1 - position.to_move
    if position.rules.goal is Goal.MOST:
        lines = position.lines_made
        return lines[mover] - lines[1 - mover]
    # a line ends the game, so it is the mover's; with the last disc of all it is worth 1
    return (position.rules.cells - position.ply + 2) // 2 if position.winner is not None else 0


NODES = 10_000
"""Positions that the search of a position takes whose score is turned into points."""

CALIBRATION_ERROR = 0.03
"""The expected calibration error over ten bins is below this on every preset's board, in games that
nothing was fitted to; a test and `arena bench --estimates` measure it."""

FIRST = (1.1, 16.0)
"""Goal `first`: factors of `terms`."""

MOST = (4.6, 1.0, 8.0)
"""Goal `most`: factors of `terms`."""

LEAST = 0.005
"""No estimate is nearer to 0 or 1: only what is certain is that."""

LINE_WORTH = 1_000
"""Goal `most`: what the engine's score has for each line that is made."""


def expected_points(rules: Ruleset, empty: int, score: int) -> float:
    """Return the points, between 0 and 1, that the side to move can expect from a search's score.

    `score` is what `Engine(rules).search(position, nodes=NODES)` found; `empty` cells are left.
    """
    factors = FIRST if rules.goal is Goal.FIRST else MOST
    weighed = zip(factors, terms(rules, empty, score), strict=True)
    points = 1 / (1 + exp(-sum(factor * term for factor, term in weighed)))
    return min(max(points, LEAST), 1 - LEAST)


def terms(rules: Ruleset, empty: int, score: int) -> tuple[float, ...]:
    """Return the terms of the regression: each turns its sign with the score's.

    Goal `first`: early in a game some threats ahead are what counts, however many, and late each
    of them. Goal `most`: lines that are made count apart from the rest of the score, and both say
    more about the result the fuller the board is.
    """
    filled = 1 - empty / rules.cells
    if rules.goal is Goal.FIRST:
        return _flattened(score, 30) ** 3 * (1 - filled), _flattened(score, 1000) * filled
    lines = (abs(score) + LINE_WORTH // 2) // LINE_WORTH * (1 if score > 0 else -1)
    ahead = _flattened(lines, 3)
    return _flattened(score - LINE_WORTH * lines, 80) * filled, ahead, ahead * filled


def _flattened(number: float, scale: float) -> float:
    """Return about number / scale for small numbers, and at most 1 for large ones."""
    return number / hypot(number, scale)
