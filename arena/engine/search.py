"""The engine's search: iterative deepening on the line table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arena.engine.board import Array, fill, gains_of, lay_out, static_score
from arena.engine.evaluation import OWN_JUDGEMENT, Judgement, own_weights, rows_by_side
from arena.engine.node import Settings
from arena.engine.stack import (
    ALPHA,
    BEST,
    BEST_COLUMN,
    BETA,
    BETTER,
    BETTER_VALUE,
    DEPTH,
    DONE,
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
    Tree,
    static,
)
from arena.engine.tree import search
from arena.rules import Goal, Position, Rack, Ruleset, Weights, fifty_ten

__all__ = ["WON", "Engine", "SearchResult"]
NO_LIMIT = 1 << 62
PAUSE = 100_000  # Nodes between two checks for Ctrl-C.
FIRST_KEY = 0x9E3779B97F4A7C15  # Zobrist key of the root; any number but 0.
TABLE_BITS = 20  # Largest transposition table: 2 ** TABLE_BITS slots of 16 bytes.


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    column: int
    """The best column."""

    score: int
    """The score for the side to move."""

    depth: int
    """Plies of the last completed iteration."""

    line: tuple[int, ...]
    """The principal variation, starting with `column`; may be cut off."""

    nodes: int
    """Positions searched, root and leaves included, as contests count nodes."""


class Engine:
    """Alpha-beta search for one ruleset. Equal calls return equal results.

    With all switches on it is strongest. With all off it is plain alpha-beta, from the middle
    column outwards, with static evaluation at the last ply.
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
        """Set up a search with `weights`, by default the engine's own.

        `table`: use a transposition table. `pruning`: cut by alpha and beta. `ordering`: try
        promising moves first. `forced`: detect wins and blocks without a search; forced replies
        cost no depth. `selective`: search unpromising moves less deep.
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
        self._weights = own_weights(rules.connect) if weights is None else weights
        self._judgement = OWN_JUDGEMENT if weights is None else Judgement()
        self._lines = lay_out(rules)
        self._gains = gains_of(rules, self._weights)
        self._table = np.zeros(0, np.uint64)

    @classmethod
    def plain(cls, rules: Ruleset, *, table: bool = False) -> Engine:
        """Return plain alpha-beta with the weights `fifty_ten`, as a baseline."""
        weights = fifty_ten(rules.connect)
        return cls(rules, weights, table=table, ordering=False, forced=False, selective=False)

    def search(
        self, position: Position, *, nodes: int | None = None, depth: int | None = None
    ) -> SearchResult:
        """Search ever deeper until `nodes` or `depth` is reached, or the value is certain.

        Raises ValueError if the game is over.
        """
        if position.is_over:
            raise ValueError("the game is over")
        return self.search_rack(position.rack(), position.to_move, nodes=nodes, depth=depth)

    def search_rack(
        self, rack: Rack, player: int, *, nodes: int | None = None, depth: int | None = None
    ) -> SearchResult:
        """Search a rack, rack[c][r] with r = 0 at the bottom, with `player` to move.

        Raises ValueError for a full board; does not check for a winner.
        """
        empty = sum(column.count(0) for column in rack)
        if empty == 0:
            raise ValueError("the board is full")
        budget = NO_LIMIT if nodes is None else nodes
        deepest = empty if depth is None else min(depth, empty)
        if budget < 1 or deepest < 1:
            raise ValueError("a search needs one position and one ply at least")
        deepening = _Deepening(self, rack, player, empty, budget)
        settings = self._settings
        best, reached = _Best(-1, 0, ()), 0
        while reached < deepest:
            complete = deepening.iterate(reached + 1, settings)
            best = deepening.best() or best
            if not complete:
                break
            reached += 1
            if abs(best.value) > MAX_STATIC and self._first:
                if WON - abs(best.value) <= reached:
                    break
                if settings.selective:
                    # the game is decided: search all moves in full now, to find the shortest win
                    settings = settings._replace(selective=False)
                    deepening.forget()
        return SearchResult(
            column=best.column,
            score=best.value,
            depth=reached,
            line=best.line,
            nodes=deepening.nodes,
        )

    def _empty_table(self, bits: int) -> Array:
        if len(self._table) != 2 << bits:
            self._table = np.zeros(2 << bits, np.uint64)
        else:
            self._table.fill(0)
        return self._table


class _Best(NamedTuple):
    column: int
    value: int
    line: tuple[int, ...]


class _Deepening:
    def __init__(self, engine: Engine, rack: Rack, side: int, empty: int, budget: int) -> None:
        rules = engine.rules
        self._engine = engine
        self._budget = budget
        self._board = fill(engine._lines, rules, rack)
        self._rows_of = rows_by_side(rules.rows, empty, side)
        kept = budget if engine._settings.forced else budget >> 3  # see UNTABLED
        bits = min(TABLE_BITS, kept.bit_length(), 2 * empty + 4)
        self._tree = Tree(
            frames=np.zeros((empty + 2) * WIDTH, np.int64),
            keys=np.full(empty + 2, FIRST_KEY, np.uint64),
            moves=np.zeros((empty + 2) * rules.columns, np.int64),
            ranks=np.zeros(rules.columns, np.int64),
            lines=np.zeros((PLIES_OF_LINE + 1) ** 2, np.int64),
            history=np.zeros(2 * rules.cells, np.int64),
            table=engine._empty_table(bits if engine._settings.table else 0),
            registers=np.zeros(REGISTERS, np.int64),
        )
        registers = self._tree.registers
        registers[SIDE], registers[EMPTY], registers[FIRST] = side, empty, -1
        score = static_score(rules, engine._weights, rack)
        self._tree.frames[SCORE] = score if side == 0 else -score

    @property
    def nodes(self) -> int:
        return int(self._tree.registers[NODES])

    def iterate(self, depth: int, settings: Settings) -> bool:
        """Search to this depth; return True if the budget sufficed."""
        engine, frames, registers = self._engine, self._tree.frames, self._tree.registers
        frames[DEPTH] = depth
        frames[ALPHA] = frames[LOW] = -INFINITY
        frames[BETA] = INFINITY
        registers[PLY], registers[BETTER], registers[STATE] = 0, -1, PAUSED
        while registers[STATE] == PAUSED:
            search(
                engine._lines,
                self._board,
                engine._gains,
                self._rows_of,
                engine._judgement,
                settings,
                self._tree,
                self._budget,
                self.nodes + PAUSE,
            )
        if registers[STATE] == DONE:
            registers[FIRST] = frames[BEST_COLUMN]
        return bool(registers[STATE] == DONE)

    def best(self) -> _Best | None:
        """Return the iteration's result; None if it has none. The first always has one."""
        frames, registers, lines = self._tree.frames, self._tree.registers, self._tree.lines
        if registers[STATE] == SPENT and registers[BETTER] >= 0:
            column = int(registers[BETTER])
            return _Best(column, int(registers[BETTER_VALUE]), (column,))
        if frames[BEST_COLUMN] >= 0 and (registers[STATE] == DONE or frames[INDEX] > 0):
            line = tuple(map(int, lines[1 : 1 + lines[0]]))
            return _Best(int(frames[BEST_COLUMN]), int(frames[BEST]), line)
        if registers[FIRST] >= 0:
            return None
        column = int(self._tree.moves[0])
        return _Best(column, int(static(int(frames[SCORE]), self._engine._first)), (column,))

    def forget(self) -> None:
        self._tree.table.fill(0)
