"""Exact values of positions."""

from __future__ import annotations

import sys
from copy import copy
from dataclasses import dataclass
from math import inf
from time import perf_counter

import numpy as np

from arena.common.errors import UnsolvedError
from arena.engine.bitboard import board_of
from arena.engine.exact import (
    HIGH,
    LEAST_TABLE_BITS,
    LOW,
    NODES,
    NUMBERS,
    WORDS,
    HashTable,
    Stack,
    search,
    start,
)
from arena.engine.machine_code import fits
from arena.engine.opening_values import LEAST, OpeningValues
from arena.engine.search import WON, Engine
from arena.engine.stack import DECIDED
from arena.rules import Goal, Position, Ruleset

CHUNK = 1 << 17
"""Nodes between two looks at the clock, a hundredth of a second or two."""

FAR = 16
"""In a hard position, entries for positions with so many empty cells are in the large table."""

EVERY = 1 << 10
"""More than any value."""

FIRST_CHUNK = 1 << 16
"""Nodes of the first search on the line table; every further one starts anew, with twice that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """The exact value of a position and of every move in it."""

    value: int
    """For the side to move. Goal `first`: k if it wins with its k-th disc from the end (a win with
    the last disc it will ever have is 1), 0 for a draw, -k if it loses so. Goal `most`: its lines
    less the opponent's."""

    columns: tuple[int | None, ...]
    """The value of playing each column, for the side to move; None where there is no room."""

    nodes: int
    """Positions searched."""

    @property
    def best(self) -> tuple[int, ...]:
        """The columns whose value is `value`."""
        return tuple(column for column, value in enumerate(self.columns) if value == self.value)


class Solver:
    """Solves positions of one ruleset; what it found out is kept from one to the next."""

    rules: Ruleset
    """The rules of all its positions."""

    nodes: int
    """Positions searched by the last call."""

    def __init__(
        self, rules: Ruleset, *, table_bits: int = 22, known: OpeningValues | None = None
    ) -> None:
        """Make a table of 2 ** `table_bits` entries of 8 bytes, used when a position is hard.

        What is `known` of openings is not searched. It is not used unless asked for: a player that
        used it would spend other nodes, and make other moves, than in games that are on record.
        """
        self.rules = rules
        self.nodes = 0
        self._known = known
        self._way = _Bitboards(rules, table_bits) if fits(rules) else _SolverLines(rules)

    def sharing(self) -> Solver:
        """Return a solver for another thread, which has its table in common with this one."""
        other = copy(self)
        if isinstance(self._way, _Bitboards):
            other._way = self._way.sharing()
        return other

    def value(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        low: int = -EVERY,
        high: int = EVERY,
    ) -> int:
        """Return the exact value for the side to move, as `Solved.value`.

        Who asks only what it is between `low` and `high` knows sooner: a lower value comes out as
        `low`, a higher one as `high`.
        Raises UnsolvedError when the budget ran out, ValueError for a game that is over.
        """
        if position.is_over:
            raise ValueError("the game is over")
        budget = _Budget(nodes, seconds)
        try:
            return min(max(self._value(position, budget, low, high), low), high)
        finally:
            self.nodes = budget.spent

    def solve(
        self, position: Position, *, nodes: int | None = None, seconds: float | None = None
    ) -> Solved:
        """Return the exact value of the position and of every move. Raises as `value` does."""
        if position.is_over:
            raise ValueError("the game is over")
        budget = _Budget(nodes, seconds)
        try:
            values = tuple(
                self._after(position, column, budget) if position.can_play(column) else None
                for column in range(self.rules.columns)
            )
        finally:
            self.nodes = budget.spent
        best = max(value for value in values if value is not None)
        return Solved(value=best, columns=values, nodes=budget.spent)

    def best(
        self, position: Position, *, nodes: int | None = None, seconds: float | None = None
    ) -> int:
        """Return the best column nearest to the middle, at less cost than every column's value.

        Raises as `value` does.
        """
        if position.is_over:
            raise ValueError("the game is over")
        budget = _Budget(nodes, seconds)
        try:
            best = self._value(position, budget)
            return next(
                column
                for column in _from_the_middle(self.rules)
                if position.can_play(column)
                and self._after(position, column, budget, best - 1, best) == best
            )
        finally:
            self.nodes = budget.spent

    def _value(
        self, position: Position, budget: _Budget, low: int = -EVERY, high: int = EVERY
    ) -> int:
        """Return the exact value, if it is between `low` and `high`. Raises UnsolvedError."""
        if self._known is not None:
            known = self._known.value(position)
            if known is not None:
                return known
            least = self._known.least(position)
            if least > LEAST and low <= least < high:
                # one of the moves that led here may be the best there was: then it is just that
                low = self._way.value(position, budget, least, least + 1)
                if low == least:
                    return low
            low = max(low, least)
        return self._way.value(position, budget, low, high)

    def _after(
        self,
        position: Position,
        column: int,
        budget: _Budget,
        low: int = -EVERY,
        high: int = EVERY,
    ) -> int:
        """Return the value of a move for whoever makes it, if it is between `low` and `high`."""
        after = Position(position.rules, (*position.moves, column))
        if not after.is_over:
            return -self._value(after, budget, -high, -low)
        if self.rules.goal is Goal.MOST:
            mine, other = after.lines_made[:: 1 if position.to_move == 0 else -1]
            return mine - other
        return _discs_left(position) if after.winner is not None else 0


class _Budget:
    """The budget of a call, and how much of it is spent."""

    def __init__(self, nodes: int | None, seconds: float | None) -> None:
        self._nodes = sys.maxsize if nodes is None else nodes
        self._deadline = inf if seconds is None else perf_counter() + seconds
        self.spent = 0

    def of(self, nodes: int) -> int:
        """So many of these as are left."""
        return min(nodes, self._nodes - self.spent)

    def check(self) -> None:
        if self.spent >= self._nodes or perf_counter() >= self._deadline:
            raise UnsolvedError(f"not solved within {self.spent:,} nodes")


def _discs_left(position: Position) -> int:
    """Discs that the side to move will drop at most, which is what a win at once is worth."""
    return (position.rules.cells - position.ply + 1) // 2


def _from_the_middle(rules: Ruleset) -> list[int]:
    return sorted(range(rules.columns), key=lambda column: abs(2 * column - rules.columns + 1))


class _Bitboards:
    """The compiled search of `bitboard` with its memory."""

    def __init__(self, rules: Ruleset, table_bits: int) -> None:
        self._board = board = board_of(rules)
        stride = int(board.stride)
        piles = [int(board.pile) << column * stride for column in _from_the_middle(rules)]
        self._piles = np.array(piles, np.uint64)
        plies = rules.cells + 1
        self._stack = Stack(
            numbers=np.zeros(NUMBERS + 3 * plies, np.int64),
            words=np.zeros(WORDS, np.uint64),
            moves=np.zeros((plies, rules.columns), np.uint64),
            dangers=np.zeros((plies, rules.columns), np.uint64),
            order=np.zeros((plies, rules.columns), np.int64),
        )
        self._bits = max(table_bits, LEAST_TABLE_BITS)
        self._entries = np.zeros((1 << LEAST_TABLE_BITS) + (1 << self._bits), np.uint64)

    def sharing(self) -> _Bitboards:
        """Return the search for another thread; an entry is one word, so none is half there."""
        other = copy(self)
        other._stack = Stack(*map(np.zeros_like, self._stack))
        return other

    def value(
        self, position: Position, budget: _Budget, low: int = -EVERY, high: int = EVERY
    ) -> int:
        """Return the exact value, if it is between `low` and `high`. Raises UnsolvedError."""
        numbers = self._stack.numbers
        columns = np.frombuffer(bytes(position.moves), np.uint8)
        start(columns, self._board, numbers, self._stack.words)
        numbers[LOW], numbers[HIGH] = max(numbers[LOW], low), min(numbers[HIGH], high)
        # an easy position needs no more than what fits the processor's cache
        far, chunk = EVERY, 1 << LEAST_TABLE_BITS
        while True:
            before = int(numbers[NODES])
            table = HashTable(self._entries, self._bits, far)
            solved = search(self._board, self._piles, self._stack, table, before + budget.of(chunk))
            budget.spent += int(numbers[NODES]) - before
            if solved:
                return int(numbers[LOW])
            budget.check()
            far, chunk = FAR, CHUNK


class _SolverLines:
    """The search on the line table, to the end of the game: any board, any goal, much slower."""

    def __init__(self, rules: Ruleset) -> None:
        self._engine = Engine(rules, (0,) * (rules.connect + 1), selective=False)

    def value(
        self, position: Position, budget: _Budget, low: int = -EVERY, high: int = EVERY
    ) -> int:
        """Return the exact value, whatever the bounds. Raises UnsolvedError."""
        left = position.rules.cells - position.ply
        chunk = FIRST_CHUNK
        while True:
            budget.check()
            limit = budget.of(chunk)
            found = self._engine.search(position, nodes=limit)
            budget.spent += found.nodes
            plies = WON - abs(found.score)
            if position.rules.goal is Goal.FIRST and plies <= found.depth:
                discs = (left - plies + 2) // 2
                return discs if found.score > 0 else -discs
            if found.depth >= left:
                # a full board is worth DECIDED and the difference, or nothing
                return found.score - DECIDED * ((found.score > 0) - (found.score < 0))
            if found.nodes < limit:
                raise UnsolvedError(f"{left} empty cells are more than can be searched")
            chunk *= 2
