"""Bots with `pick_move(rack)`, as in that course and in house players.

A bot is a class built as `ComputerPlayer(id, difficulty_level)` with a method `pick_move(rack)`, or
a function `pick_move(rack)` or `pick_move(rack, player)`. The rack is a tuple of column tuples,
`rack[c][r]` with r = 0 at the bottom, 0/1/2. Constructor parameters `nodes` and `connect` get the
contest's values. House players with Arena's engine also get `position`, kept up to date; `seconds`
for a move; and `count`, which they call with the nodes of each move.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from arena.interfaces.binding import Supply, call_by_name, require_no_options
from arena.interfaces.contract import Adapter, Profile, Setup, exact, plays_all
from arena.rules import Position
from arena.source.classes import classes_with, own_functions

NAME = "pick_move"
PROFILE = Profile.MODULE
HAS_BUDGET = True
MOVE = "pick_move"
MOVES: tuple[str, ...] = (MOVE,)
fit = exact
refuses = plays_all
PREFERRED = "ComputerPlayer"
DEFAULT_LEVEL = 4  # The difficulty level, in plies.


def find(tree: ast.Module) -> str | None:
    """Return what to enter: `ComputerPlayer`, else the last class, else the function."""
    classes = classes_with(tree, MOVE)
    if classes:
        return PREFERRED if PREFERRED in classes else classes[-1]
    return MOVE if MOVE in own_functions(tree) else None


def adapt(entry: Any, setup: Setup) -> Adapter:
    if isinstance(entry, type):
        position = Position(setup.rules)
        named: Supply = {("nodes",): lambda: setup.nodes, ("connect",): lambda: setup.rules.connect}
        if setup.count is not None:
            named = {
                **named,
                ("position",): lambda: position,
                ("seconds",): lambda: setup.move_seconds,
                ("count",): lambda: setup.count,
            }
        leading = setup.player + 1, DEFAULT_LEVEL
        bot = call_by_name(entry, named, setup.options, leading=leading)
        return RackAdapter(setup, bot.pick_move, position if setup.count is not None else None)
    require_no_options(setup.options)
    if len(inspect.signature(entry).parameters) >= 2:
        player = setup.player + 1
        return RackAdapter(setup, lambda rack: entry(rack, player))
    return RackAdapter(setup, entry)


class RackAdapter:
    def __init__(
        self, setup: Setup, pick: Callable[..., object], position: Position | None = None
    ) -> None:
        """Ask `pick` for moves; `position` is the engine's, to keep up to date."""
        rows, columns = setup.rules.rows, setup.rules.columns
        self._air = [(0,) * (rows - height) for height in range(rows + 1)]
        self._discs: list[tuple[int, ...]] = [()] * columns
        self._columns = [self._air[0]] * columns
        self._pick = pick
        self._position = position

    def see(self, player: int, column: int) -> None:
        discs = self._discs[column] = self._discs[column] + (player + 1,)
        self._columns[column] = discs + self._air[len(discs)]
        if self._position is not None:
            self._position.play(column)

    def pick(self) -> object:
        return self._pick(tuple(self._columns))
