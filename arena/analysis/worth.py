"""The worth of every column of a position: exact if solved, else an estimate.

An estimate converts the score of a search after the move to points; a forced end is exact if an
exhaustive search confirms its length. The formula is a logistic regression, from games between
house players of all levels after random openings: it gives their average points. `arena lab bench
--estimates` plays new games, fits the factors, and measures the error on others. This module
imports no numba.
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

TABLE_BITS = 22  # a table of 32 MB; most positions touch a small part of it


@dataclass(frozen=True, slots=True)
class Worth:
    """A move's worth for the player who makes it."""

    exact: int | None
    """Value under perfect play; None if unsolved. Positive wins, 0 draws, negative loses."""

    chance: float
    """Expected points: 1, 0.5 or 0 if exact, else an estimate between 0 and 1."""

    @staticmethod
    @cache
    def known(value: int) -> Worth:
        """Return the worth of an exact value; shared, because a contest has millions."""
        return Worth(value, (outcome(value) + 1) / 2)

    @staticmethod
    @cache
    def estimate(chance: float) -> Worth:
        return Worth(None, chance)

    @staticmethod
    def of(number: float) -> Worth:
        """Return the worth that `number` stores."""
        return Worth.known(number) if isinstance(number, int) else Worth.estimate(number)

    @property
    def number(self) -> float:
        """The worth as stored: an int is exact, a float an estimate."""
        return self.chance if self.exact is None else self.exact


Worths = tuple[Worth | None, ...]  # each column's worth; None if full


class Appraiser:
    """Computes and caches the worth of every column of positions.

    Results depend only on a position's discs, and mirror images share them. So games may share an
    appraiser.
    """

    def __init__(
        self, rules: Ruleset, nodes: int, make_solver: Callable[[], Solver] | None = None
    ) -> None:
        """`nodes` limits the solver for all columns of a position together."""
        # imported here, because that takes half a second and most commands need no engine
        from arena.engine import Engine, Solver

        self.rules = rules
        self.nodes = nodes
        self._engine = Engine(rules)
        self._thorough = Engine(rules, selective=False)
        self._make_solver = make_solver or (lambda: Solver(rules, table_bits=TABLE_BITS))
        self._solved: dict[Rack, Worths | None] = {}
        self._estimated: dict[Rack, Worths] = {}

    def solved(self, position: Position) -> Worths | None:
        """Return every column's exact worth; None if `nodes` do not suffice."""
        canonical, is_mirrored = _canonical(position)
        rack = canonical.rack()
        if rack not in self._solved:
            self._solved[rack] = self._solve(canonical)
        worths = self._solved[rack]
        return worths[::-1] if worths is not None and is_mirrored else worths

    def estimated(self, position: Position) -> Worths:
        """Return an estimate for every column; exact if the game ends or is proved."""
        canonical, is_mirrored = _canonical(position)
        rack = canonical.rack()
        if rack not in self._estimated:
            self._estimated[rack] = self._estimate(canonical)
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
        """Return the worth of an unfinished position for the player who moved last."""
        from arena.engine.tree import MAX_STATIC

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
    """Return the exact value for the side to move that a search proved, or None."""
    from arena.engine.tree import DECIDED, WON

    left = position.rules.cells - position.ply
    sign = outcome(found.score)
    if position.rules.goal is Goal.FIRST and (plies := WON - abs(found.score)) <= found.depth:
        return sign * ((left - plies + 2) // 2)
    if found.depth < left:
        return None
    return found.score - sign * DECIDED


def _canonical(position: Position) -> tuple[Position, bool]:
    """Return a position or its mirror image, the same for both, and whether it is mirrored."""
    rack = position.rack()
    if rack <= rack[::-1]:
        return Position(position.rules, position.moves), False
    last = position.rules.columns - 1
    return Position(position.rules, [last - column for column in position.moves]), True


def _unlike(position: Position) -> list[int]:
    """Return the playable columns, without the right half if the position is symmetric."""
    rack, last = position.rack(), position.rules.columns - 1
    is_even = rack == rack[::-1]
    return [column for column in position.legal() if not is_even or 2 * column <= last]


def _in_order(worths: dict[int, Worth], position: Position) -> Worths:
    last = position.rules.columns - 1
    return tuple(
        worths.get(column, worths.get(last - column)) if position.can_play(column) else None
        for column in range(last + 1)
    )


def outcome(value: int) -> int:
    """Return 1 for a win, 0 for a draw, -1 for a loss."""
    return (value > 0) - (value < 0)


def end_value(position: Position) -> int:
    """Return the value of a finished game for the player who moved last."""
    mover = 1 - position.to_move
    if position.rules.goal is Goal.MOST:
        lines = position.lines_made
        return lines[mover] - lines[1 - mover]
    # a line ends the game, so the mover made it; made with the last disc of all, it is worth 1
    return (position.rules.cells - position.ply + 2) // 2 if position.winner is not None else 0


NODES = 10_000  # positions that are searched for an estimate

# Upper limit of the expected calibration error (ten bins) on all presets' boards, in games not used
# for fitting. A test and `arena lab bench --estimates` measure it.
CALIBRATION_ERROR = 0.03
FIRST = (1.1, 16.0)  # goal `first`: factors of `terms`
MOST = (4.6, 1.0, 8.0)  # goal `most`: factors of `terms`
LEAST = 0.005  # least distance of an estimate to 0 and 1
LINE_WORTH = 1_000  # goal `most`: points of a line in the engine's score


def expected_points(rules: Ruleset, empty: int, score: int) -> float:
    """Return the expected points of the side to move, from a search's score.

    `score` comes from `Engine(rules).search(position, nodes=NODES)`; `empty` counts empty cells.
    """
    factors = FIRST if rules.goal is Goal.FIRST else MOST
    weighed = zip(factors, terms(rules, empty, score), strict=True)
    points = 1 / (1 + exp(-sum(factor * term for factor, term in weighed)))
    return min(max(points, LEAST), 1 - LEAST)


def terms(rules: Ruleset, empty: int, score: int) -> tuple[float, ...]:
    """Return the regression's terms; each changes its sign with the score.

    Goal `first`: early, it counts whether there are threats; late, how many. Goal `most`: lines
    made count separately, and all terms say more on a fuller board.
    """
    filled = 1 - empty / rules.cells
    if rules.goal is Goal.FIRST:
        return _flattened(score, 30) ** 3 * (1 - filled), _flattened(score, 1000) * filled
    lines = (abs(score) + LINE_WORTH // 2) // LINE_WORTH * (1 if score > 0 else -1)
    ahead = _flattened(lines, 3)
    return _flattened(score - LINE_WORTH * lines, 80) * filled, ahead, ahead * filled


def _flattened(number: float, scale: float) -> float:
    return number / hypot(number, scale)
