"""The engine's search: iterative deepening on the line table."""

from __future__ import annotations

from dataclasses import dataclass

from arena.engine.board import fill, gains_of, lay_out, static_score
from arena.engine.evaluation import OWN_JUDGEMENT, Judgement, own_weights, rows_by_side
from arena.engine.tree import (
    DONE,
    MAX_STATIC,
    NODES,
    PAUSED,
    STATE,
    WON,
    Best,
    Settings,
    begin,
    best_of,
    new_tree,
    search,
)
from arena.rules import Goal, Position, Rack, Ruleset, Weights, fifty_ten

__all__ = ["WON", "Engine", "SearchResult"]
NO_LIMIT = 1 << 62
PAUSE = 100_000  # Nodes between two checks for Ctrl-C.
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
        best, reached = Best(-1, 0, ()), 0
        while reached < deepest:
            complete = deepening.iterate(reached + 1, settings)
            best = best_of(deepening.tree, self._first) or best
            if not complete:
                break
            reached += 1
            if abs(best.value) > MAX_STATIC and self._first:
                if WON - abs(best.value) <= reached:
                    break
                if settings.selective:
                    # the game is decided: search all moves in full now, to find the shortest win
                    settings = settings._replace(selective=False)
                    deepening.tree.table.fill(0)
        return SearchResult(
            column=best.column,
            score=best.value,
            depth=reached,
            line=best.line,
            nodes=int(deepening.tree.registers[NODES]),
        )


class _Deepening:
    def __init__(self, engine: Engine, rack: Rack, side: int, empty: int, budget: int) -> None:
        rules = engine.rules
        self._engine = engine
        self._budget = budget
        self._board = fill(engine._lines, rules, rack)
        self._rows_of = rows_by_side(rules.rows, empty, side)
        kept = budget if engine._settings.forced else budget >> 3  # see UNTABLED
        bits = min(TABLE_BITS, kept.bit_length(), 2 * empty + 4) if engine._settings.table else 0
        score = static_score(rules, engine._weights, rack)
        self.tree = new_tree(rules, empty, side, score, bits)

    def iterate(self, depth: int, settings: Settings) -> bool:
        """Search to this depth; return True if the budget sufficed."""
        engine, registers = self._engine, self.tree.registers
        begin(self.tree, depth)
        while registers[STATE] == PAUSED:
            search(
                engine._lines,
                self._board,
                engine._gains,
                self._rows_of,
                engine._judgement,
                settings,
                self.tree,
                self._budget,
                registers[NODES] + PAUSE,
            )
        return bool(registers[STATE] == DONE)
