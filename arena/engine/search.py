"""The search that players, openings and analyses use: iterative deepening on the line table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.engine.board import fill, gains_of, lay_out, static_score
from arena.engine.evaluation import Judgement, rows_by_side
from arena.engine.tree import (
    ALPHA,
    BEST,
    BEST_COLUMN,
    BETA,
    BETTER,
    BETTER_VALUE,
    DEPTH,
    EMPTY,
    FIRST,
    INDEX,
    INFINITY,
    LOW,
    MAX_STATIC,
    NODES,
    PAUSED,
    PLIES_OF_LINE,
    PLY,
    REGISTERS,
    SCORE,
    SIDE,
    SPENT,
    STATE,
    WIDTH,
    WON,
    Settings,
    Tree,
    search,
)
from arena.rules import Goal, Position, Rack, Ruleset, Weights, fifty_ten

__all__ = ["WON", "Engine", "Found"]

NO_LIMIT = 1 << 62

PAUSE = 500_000
"""Positions between two looks at whether somebody pressed Ctrl-C."""

TABLE_BITS = 20
"""Largest transposition table: so many bits count its slots of 16 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found out."""

    column: int
    """The best column."""

    score: int
    """Its value for the side to move."""

    depth: int
    """Plies of the last iteration that was completed."""

    line: tuple[int, ...]
    """The principal variation, `column` first, as far as it was kept."""

    nodes: int
    """Positions searched, as a contest counts calls of a search function: root and leaves too."""


class Engine:
    """Alpha-beta for one ruleset. Every search starts from nothing: equal questions, equal answers.

    The switches are for measuring and testing; all on is the strongest. With all of them off it is
    plain alpha-beta, from the middle column outwards, with static evaluation at the last ply.
    """

    def __init__(
        self,
        rules: Ruleset,
        weights: Weights | None = None,
        *,
        table: bool = True,
        pruning: bool = True,
        ordering: bool = True,
        forced: bool = True,
        selective: bool = True,
    ) -> None:
        """Search under `rules`, with `weights` for the evaluation or the engine's own.

        `table`: a transposition table. `pruning`: cut by alpha and beta. `ordering`: try first what
        looks best. `forced`: wins and blocks are seen without a search, and a forced reply costs no
        depth. `selective`: what looks bad is searched less deep.
        """
        self.rules = rules
        self._first = rules.goal is Goal.FIRST
        self._settings = Settings(
            first=self._first,
            pruning=pruning,
            table=table,
            ordering=ordering,
            forced=forced and self._first,
            selective=selective and pruning,
        )
        self._weights = fifty_ten(rules.connect) if weights is None else weights
        self._judgement = Judgement()
        if weights is None:
            self._judgement = Judgement(good=30, zugzwang=200)
        self._lines = lay_out(rules)
        self._gains = gains_of(rules, self._weights)
        self._table = np.zeros(0, np.uint64)

    @classmethod
    def plain(cls, rules: Ruleset, *, table: bool = False) -> Engine:
        """Alpha-beta over the fifty-ten evaluation and nothing else: what to measure against."""
        weights = fifty_ten(rules.connect)
        return cls(rules, weights, table=table, ordering=False, forced=False, selective=False)

    def search(
        self, position: Position, *, nodes: int | None = None, depth: int | None = None
    ) -> Found:
        """Deepen until `nodes` or `depth` is reached, or the value is certain.

        Raises ValueError for a game that is over.
        """
        if position.is_over:
            raise ValueError("the game is over")
        return self.search_rack(position.rack(), position.to_move, nodes=nodes, depth=depth)

    def search_rack(
        self, rack: Rack, player: int, *, nodes: int | None = None, depth: int | None = None
    ) -> Found:
        """The same from a rack alone: rack[c][r], r = 0 at the bottom, with `player` to move.

        Raises ValueError for a full board. Whether the game is over otherwise is not looked at.
        """
        rules, side = self.rules, player - 1
        empty = sum(column.count(0) for column in rack)
        if empty == 0:
            raise ValueError("the board is full")
        budget = NO_LIMIT if nodes is None else nodes
        deepest = empty if depth is None else min(depth, empty)
        if budget < 1 or deepest < 1:
            raise ValueError("a search needs one position and one ply at least")
        board = fill(self._lines, rules, rack)
        rows_of = rows_by_side(rules.rows, empty, side)
        score = static_score(rules, self._weights, rack)
        tree = self._tree(empty, budget)
        frames, registers = tree.frames, tree.registers
        registers[SIDE], registers[EMPTY], registers[FIRST] = side, empty, -1
        frames[SCORE] = score if side == 0 else -score
        free = [column for column in self._lines.order if not rack[column][-1]]
        column, value, reached = int(free[0]), int(frames[SCORE]), 0
        line: tuple[int, ...] = (column,)
        settings = self._settings
        goal = 1
        while goal <= deepest:
            frames[DEPTH], frames[ALPHA], frames[BETA], frames[LOW] = (
                goal,
                -INFINITY,
                INFINITY,
                -INFINITY,
            )
            registers[PLY], registers[BETTER], registers[STATE] = 0, -1, PAUSED
            while registers[STATE] == PAUSED:
                search(
                    self._lines,
                    board,
                    self._gains,
                    rows_of,
                    self._judgement,
                    settings,
                    tree,
                    budget,
                    min(budget, int(registers[NODES]) + PAUSE),
                )
            if registers[STATE] == SPENT:
                if registers[BETTER] >= 0:
                    column, value = int(registers[BETTER]), int(registers[BETTER_VALUE])
                    line = (column,)
                elif frames[INDEX] > 0 and frames[BEST_COLUMN] >= 0:
                    column, value = int(frames[BEST_COLUMN]), int(frames[BEST])
                    line = tuple(map(int, tree.lines[1 : 1 + tree.lines[0]]))
                break
            column, value, reached = int(frames[BEST_COLUMN]), int(frames[BEST]), goal
            line = tuple(map(int, tree.lines[1 : 1 + tree.lines[0]]))
            registers[FIRST] = column
            certain_from = WON - abs(value) if abs(value) > MAX_STATIC else NO_LIMIT
            if self._first and certain_from <= goal:
                break
            if certain_from < NO_LIMIT and settings.selective:
                # won or lost: from here on look for the shortest win, which leaves nothing out
                settings = settings._replace(selective=False)
                tree.table.fill(0)
            goal += 1
        return Found(
            column=column, score=value, depth=reached, line=line, nodes=int(registers[NODES])
        )

    def _tree(self, empty: int, budget: int) -> Tree:
        """Room for a search. The table's memory is used again: new memory costs more to touch."""
        bits = 1
        if self._settings.table:
            bits = min(TABLE_BITS, budget.bit_length(), 2 * empty + 4)
        if len(self._table) != 2 << bits:
            self._table = np.zeros(2 << bits, np.uint64)
        else:
            self._table.fill(0)
        return Tree(
            frames=np.zeros((empty + 2) * WIDTH, np.int64),
            keys=np.full(empty + 2, 0x9E3779B97F4A7C15, np.uint64),
            moves=np.zeros((empty + 2) * self.rules.columns, np.int64),
            ranks=np.zeros(self.rules.columns, np.int64),
            lines=np.zeros((PLIES_OF_LINE + 1) ** 2, np.int64),
            history=np.zeros(2 * self.rules.cells, np.int64),
            table=self._table,
            registers=np.zeros(REGISTERS, np.int64),
        )
