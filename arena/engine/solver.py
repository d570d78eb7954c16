"""Exact values of positions."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from arena.engine.bitboard import (
    HIGH,
    LEAST_TABLE_BITS,
    LOW,
    NODES,
    NUMBERS,
    WORDS,
    board_of,
    fits,
    search,
    start,
)
from arena.rules import Position, Ruleset

CHUNK = 1 << 20
"""Nodes between two looks at the clock, a tenth of a second or so."""

EVERY = 1 << 10
"""More than any value."""


class Unsolved(Exception):
    """The budget ran out first."""


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

    nodes: int
    """Positions searched by the last call."""

    def __init__(self, rules: Ruleset, *, table_bits: int = 22) -> None:
        """A table has 2 ** `table_bits` entries of 8 bytes. Raises ValueError."""
        if not fits(rules):
            raise ValueError(f"{rules}: too large to be solved")
        self.rules = rules
        self.nodes = 0
        self._board = board_of(rules)
        pile, stride = int(self._board.pile), int(self._board.stride)
        middle = (rules.columns - 1) / 2
        columns = sorted(range(rules.columns), key=lambda column: abs(column - middle))
        self._piles = np.array([pile << column * stride for column in columns], np.uint64)
        plies = rules.cells + 1
        self._numbers = np.zeros(NUMBERS + 3 * plies, np.int64)
        self._words = np.zeros(WORDS, np.uint64)
        self._moves = np.zeros((plies, rules.columns), np.uint64)
        self._dangers = np.zeros((plies, rules.columns), np.uint64)
        self._order = np.zeros((plies, rules.columns), np.int64)
        small = LEAST_TABLE_BITS
        self._small = np.zeros(1 << small, np.uint64)
        self._large = np.zeros(1 << max(small, table_bits), np.uint64)

    def value(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        low: int = -EVERY,
        high: int = EVERY,
    ) -> int:
        """The exact value for the side to move, as `Solved.value`.

        Who asks only what it is between `low` and `high` knows sooner: a lower value comes out as
        `low`, a higher one as `high`.
        Raises Unsolved when the budget ran out, ValueError for a game that is over.
        """
        if position.is_over:
            raise ValueError("the game is over")
        self.nodes = 0
        deadline = None if seconds is None else perf_counter() + seconds
        value = self._value(position.moves, nodes, deadline, low, high)
        return min(max(value, low), high)

    def solve(
        self, position: Position, *, nodes: int | None = None, seconds: float | None = None
    ) -> Solved:
        """The exact value of the position and of every move. Raises as `value` does."""
        if position.is_over:
            raise ValueError("the game is over")
        self.nodes = 0
        deadline = None if seconds is None else perf_counter() + seconds
        values: list[int | None] = [None] * self.rules.columns
        moves = position.moves
        left = self.rules.cells - len(moves)
        legal = position.legal()
        for column in legal:
            if position.wins_at(column, position.to_move):
                values[column] = (left + 1) // 2
            elif left == 1:
                values[column] = 0
            else:
                values[column] = -self._value((*moves, column), nodes, deadline)
        value = max(value for value in values if value is not None)
        return Solved(value=value, columns=tuple(values), nodes=self.nodes)

    def _value(
        self,
        moves: tuple[int, ...],
        nodes: int | None,
        deadline: float | None,
        low: int = -EVERY,
        high: int = EVERY,
    ) -> int:
        """The value after these moves; `nodes` counts from where `self.nodes` was 0.

        A value that is not between `low` and `high` is only known not to be.
        """
        numbers, words = self._numbers, self._words
        before = self.nodes
        start(np.frombuffer(bytes(moves), np.uint8), self._board, numbers, words)
        numbers[LOW], numbers[HIGH] = max(numbers[LOW], low), min(numbers[HIGH], high)
        table, until = self._small, len(self._small)
        while True:
            limit = until if nodes is None else min(until, nodes - before)
            bits = len(table).bit_length() - 1
            solved = search(
                self._board,
                self._piles,
                numbers,
                words,
                self._moves,
                self._dangers,
                self._order,
                table,
                bits,
                limit,
            )
            spent = int(numbers[NODES])
            self.nodes = before + spent
            if solved:
                return int(numbers[LOW])
            if (nodes is not None and self.nodes >= nodes) or (
                deadline is not None and perf_counter() >= deadline
            ):
                raise Unsolved(f"not solved within {self.nodes:,} nodes")
            table, until = self._large, until + CHUNK
