"""The contest's reference player: Arena's own engine within the contest's node budget.

Its levels, which are house players with names of their own, are its options: fewer nodes or more,
a fixed depth, or the exact solver as far as that gets. A copy of this file is nobody's bot: only
house players are let at the engine, and what it searched they tell the referee.
"""

from collections.abc import Callable, Sequence

from arena.engine import Engine, Solver, Unsolved
from arena.rules import Position

USUAL_NODES = 10_000
"""Budget in a contest without one."""

SOLVING = 0.9
"""Share of the nodes that goes to the solver; the search has what is left by it."""

INSTEAD = 100_000
"""Nodes of the search where the solver did not get there: they take no time worth speaking of."""

SOLVING_TIME = 0.5
"""Share of a move's time that the solver may take on a slow machine."""


class ComputerPlayer:
    """Plays the engine's moves."""

    def __init__(
        self,
        id: int,
        difficulty_level: int,
        *,
        position: Position,
        seconds: float,
        count: Callable[[int], None],
        nodes: int | None = None,
        depth: int | None = None,
        solve: bool = False,
    ) -> None:
        """`position` is the game's as it stands whenever a move is asked for; `count` is told how
        many nodes the move took.

        It searches `nodes` positions, or `depth` plies if that is less. With `solve` it plays
        exact moves wherever nine tenths of the nodes and half of the `seconds` suffice for them.
        """
        self.position = position
        self.seconds = seconds
        self.count = count
        self.nodes = nodes or USUAL_NODES
        self.depth = depth
        self.engine = Engine(position.rules)
        self.solver = Solver(position.rules) if solve else None

    def pick_move(self, rack: Sequence[Sequence[int]]) -> int:
        """The engine's column for the position, which `rack` shows too."""
        left, spent = self.nodes, 0
        if self.solver is not None:
            budget, seconds = int(SOLVING * left), SOLVING_TIME * self.seconds
            try:
                column = self.solver.best(self.position, nodes=budget, seconds=seconds)
            except Unsolved:
                spent = self.solver.nodes
                left = min(left - spent, INSTEAD)
            else:
                self.count(self.solver.nodes)
                return column
        found = self.engine.search(self.position, nodes=left, depth=self.depth)
        self.count(spent + found.nodes)
        return found.column
