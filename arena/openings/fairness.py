"""Judging openings by games: a good player must not lose with either side.

A balanced search value is not enough: on most boards the side to move still scores 54 to 64 %. And
a drawn position may need a series of only moves that no student's bot finds.
"""

from __future__ import annotations

from arena.engine import Engine
from arena.rules import Position, Ruleset

REFERENCE_NODES = 10_000  # The reference's nodes per move in a contest.
TRIAL_NODES = (1_000, 2_000, 4_000)  # Nodes per move in the engine's trial games with itself.
HELD_DEPTH = 4  # Plies of the plain alpha-beta player to which the reference must not lose.
MOST_CELLS = 100  # On larger boards games take seconds, so openings are not judged by games.


class Judge:
    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self._engine = Engine(rules)
        self._plain = Engine.plain(rules)

    def is_fair(self, columns: tuple[int, ...]) -> bool:
        """Return whether trial games favour no side and the reference loses with neither."""
        scores = [self.mover_score(columns, nodes) for nodes in TRIAL_NODES]
        return 1 <= sum(scores) <= len(scores) - 1 and not any(
            self._loses(columns, reference) for reference in (0, 1)
        )

    def mover_score(self, columns: tuple[int, ...], nodes: int = REFERENCE_NODES) -> float:
        """Return 1, ½ or 0 points: those of the side to move if the engine plays itself."""
        position = Position(self._rules, columns)
        mover = position.to_move
        while not position.is_over:
            position.play(self._engine.search(position, nodes=nodes).column)
        return 0.5 if position.winner is None else float(position.winner == mover)

    def _loses(self, columns: tuple[int, ...], reference: int) -> bool:
        position = Position(self._rules, columns)
        while not position.is_over:
            if position.to_move == reference:
                found = self._engine.search(position, nodes=REFERENCE_NODES)
            else:
                found = self._plain.search(position, depth=HELD_DEPTH)
            position.play(found.column)
        return position.winner == 1 - reference
