"""Exact values of positions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from math import inf
from time import perf_counter

import numpy as np

from arena.common.errors import UnsolvedError
from arena.engine.bitboard import board_of
from arena.engine.board import from_the_middle
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
from arena.engine.tree import DECIDED
from arena.rules import Goal, Position, Ruleset

CHUNK = 1 << 17  # Nodes between two checks of the clock, about 15 ms.
FAR = 16  # In hard positions, entries with at least this many empty cells use the large table.
UNBOUNDED = 1 << 10  # More than any value.

# Nodes of the first search on the line table; each retry starts again with twice as many.
FIRST_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """Exact values of a position and its moves."""

    value: int
    """The value for the side to move. Goal `first`: k if it wins with its k-th disc from the end (1
    for its very last disc), 0 for a draw, -k if it loses so. Goal `most`: its lines less the
    opponent's."""

    columns: tuple[int | None, ...]
    """Value of a disc in each column, for the side to move; None for full columns."""

    nodes: int
    """Positions searched."""

    @property
    def best(self) -> tuple[int, ...]:
        return tuple(column for column, value in enumerate(self.columns) if value == self.value)


class Solver:
    """Solves positions of one ruleset, reusing its table."""

    rules: Ruleset

    nodes: int
    """Positions searched by the last call."""

    def __init__(
        self, rules: Ruleset, *, table_bits: int = 22, known: OpeningValues | None = None
    ) -> None:
        """Create a table of 2 ** `table_bits` entries of 8 bytes for hard positions.

        `known` opening values save searches. Off by default: with them players would make other
        moves than in recorded games.
        """
        self.rules = rules
        self.nodes = 0
        self._known = known
        self._search = _Bitboards(rules, table_bits) if fits(rules) else _SolverLines(rules)

    def sharing(self) -> Solver:
        """Return a solver for another thread, with the same table."""
        other = copy(self)
        if isinstance(self._search, _Bitboards):
            other._search = self._search.sharing()
        return other

    def value(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        low: int = -UNBOUNDED,
        high: int = UNBOUNDED,
    ) -> int:
        """Return the exact value for the side to move, as in `Solved.value`.

        A value outside `low` to `high` is replaced by the nearer of these; narrow bounds are
        faster. Raises UnsolvedError if the budget runs out, ValueError if the game is over.
        """
        with self._budget(position, nodes, seconds) as budget:
            return min(max(self._value(position, budget, low, high), low), high)

    def solve(
        self, position: Position, *, nodes: int | None = None, seconds: float | None = None
    ) -> Solved:
        """Return the exact values of the position and its moves. Raises as `value`."""
        with self._budget(position, nodes, seconds) as budget:
            values = tuple(
                self._after(position, column, budget) if position.can_play(column) else None
                for column in range(self.rules.columns)
            )
        best = max(value for value in values if value is not None)
        return Solved(value=best, columns=values, nodes=budget.spent)

    def best(
        self, position: Position, *, nodes: int | None = None, seconds: float | None = None
    ) -> int:
        """Return the best column, of several the one nearest the middle.

        Faster than `solve`. Raises as `value`.
        """
        with self._budget(position, nodes, seconds) as budget:
            best = self._value(position, budget)
            return next(
                column
                for column in from_the_middle(self.rules)
                if position.can_play(column)
                and self._after(position, column, budget, best - 1, best) == best
            )

    @contextmanager
    def _budget(
        self, position: Position, nodes: int | None, seconds: float | None
    ) -> Iterator[_Budget]:
        """Yield a call's budget; finally set `nodes` to what was spent."""
        if position.is_over:
            raise ValueError("the game is over")
        budget = _Budget(nodes, seconds)
        try:
            yield budget
        finally:
            self.nodes = budget.spent

    def _value(
        self, position: Position, budget: _Budget, low: int = -UNBOUNDED, high: int = UNBOUNDED
    ) -> int:
        if self._known is not None:
            known = self._known.value(position)
            if known is not None:
                return known
            least = self._known.least(position)
            if least > LEAST and low <= least < high:
                # the value is this bound if the last move was the best one
                low = self._search.value(position, budget, least, least + 1)
                if low == least:
                    return low
            low = max(low, least)
        return self._search.value(position, budget, low, high)

    def _after(
        self,
        position: Position,
        column: int,
        budget: _Budget,
        low: int = -UNBOUNDED,
        high: int = UNBOUNDED,
    ) -> int:
        after = Position(position.rules, (*position.moves, column))
        if not after.is_over:
            return -self._value(after, budget, -high, -low)
        if self.rules.goal is Goal.MOST:
            mine, other = after.lines_made[:: 1 if position.to_move == 0 else -1]
            return mine - other
        return _discs_left(position) if after.winner is not None else 0


class _Budget:
    def __init__(self, nodes: int | None, seconds: float | None) -> None:
        self._nodes = sys.maxsize if nodes is None else nodes
        self._deadline = inf if seconds is None else perf_counter() + seconds
        self.spent = 0

    def limit(self, nodes: int) -> int:
        return min(nodes, self._nodes - self.spent)

    def check(self) -> None:
        if self.spent >= self._nodes or perf_counter() >= self._deadline:
            raise UnsolvedError(f"not solved within {self.spent:,} nodes")


def _discs_left(position: Position) -> int:
    return (position.rules.cells - position.ply + 1) // 2


class _Bitboards:
    def __init__(self, rules: Ruleset, table_bits: int) -> None:
        self._board = board = board_of(rules)
        stride = int(board.stride)
        piles = [int(board.pile) << column * stride for column in from_the_middle(rules)]
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
        """Return a search with the same table.

        Entries are single words, so threads never see half of one.
        """
        other = copy(self)
        other._stack = Stack(*map(np.zeros_like, self._stack))
        return other

    def value(
        self, position: Position, budget: _Budget, low: int = -UNBOUNDED, high: int = UNBOUNDED
    ) -> int:
        numbers = self._stack.numbers
        columns = np.frombuffer(bytes(position.moves), np.uint8)
        start(columns, self._board, numbers, self._stack.words)
        numbers[LOW], numbers[HIGH] = max(numbers[LOW], low), min(numbers[HIGH], high)
        # begin with only the table that fits the processor's cache, enough for easy positions
        far, chunk = UNBOUNDED, 1 << LEAST_TABLE_BITS
        while True:
            before = int(numbers[NODES])
            table = HashTable(self._entries, self._bits, far)
            limit = before + budget.limit(chunk)
            solved = search(self._board, self._piles, self._stack, table, limit)
            budget.spent += int(numbers[NODES]) - before
            if solved:
                return int(numbers[LOW])
            budget.check()
            far, chunk = FAR, CHUNK


class _SolverLines:
    """The slower search on the line table, for any board and goal."""

    def __init__(self, rules: Ruleset) -> None:
        self._engine = Engine(rules, (0,) * (rules.connect + 1), selective=False)

    def value(
        self, position: Position, budget: _Budget, low: int = -UNBOUNDED, high: int = UNBOUNDED
    ) -> int:
        left = position.rules.cells - position.ply
        chunk = FIRST_CHUNK
        while True:
            budget.check()
            limit = budget.limit(chunk)
            found = self._engine.search(position, nodes=limit)
            budget.spent += found.nodes
            plies = WON - abs(found.score)
            if position.rules.goal is Goal.FIRST and plies <= found.depth:
                discs = (left - plies + 2) // 2
                return discs if found.score > 0 else -discs
            if found.depth >= left:
                # a full board is worth DECIDED plus the difference, or 0
                return found.score - DECIDED * ((found.score > 0) - (found.score < 0))
            if found.nodes < limit:
                raise UnsolvedError(f"{left} empty cells are more than can be searched")
            chunk *= 2
