"""Bots with `pick_move(rack)`, the interface of seed 001 and the house's own.

Either a class built as `ComputerPlayer(id, difficulty_level)` with a method
`pick_move(rack)`, or a module function `pick_move(rack)` or `pick_move(rack, player)`.
The rack is a tuple of column tuples, `rack[c][r]` with r = 0 at the bottom, 0/1/2.
A constructor parameter named `nodes` or `connect` gets the contest's value; a house player with
Arena's engine gets `position`, which is kept up to date, `seconds` for a move, and `count`, which
it tells the nodes of each.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from arena.errors import UnseatableError
from arena.interfaces.interface import Chair, Seat, call_with, classes_with, own_functions
from arena.rules import Position, Ruleset

NAME = "pick_move"
PROFILE = "module"
HAS_BUDGET = True
MOVE = "pick_move"
MOVES: tuple[str, ...] = (MOVE,)
PREFERRED = "ComputerPlayer"
DEFAULT_LEVEL = 4
"""The difficulty level a bot gets unless the contest file says otherwise, in plies."""

STARTER = '''\
"""My Connect Four bot."""


class ComputerPlayer:
    """Plays the free column nearest to the middle. Make it better!"""

    def __init__(self, id, difficulty_level):
        self.id = id  # 1 or 2: whose discs are mine
        self.difficulty_level = difficulty_level  # plies to look ahead

    def pick_move(self, rack):
        """Return the column to play, counted from 0.

        rack[c][r] is 0 (empty), 1 or 2; c counts from the left, r from the bottom. It is made
        of tuples: to try moves, copy it with [list(column) for column in rack].
        """
        middle = (len(rack) - 1) / 2
        free = [c for c in range(len(rack)) if rack[c][-1] == 0]
        return min(free, key=lambda c: abs(c - middle))
'''


def find(tree: ast.Module) -> str | None:
    """The class or module function to enter: `ComputerPlayer`, else the last class, else it."""
    classes = classes_with(tree, MOVE)
    if classes:
        return PREFERRED if PREFERRED in classes else classes[-1]
    return MOVE if MOVE in own_functions(tree) else None


def refuses(rules: Ruleset) -> str | None:
    """Racks come in all sizes."""
    return None


def sit(entry: Any, chair: Chair) -> Seat:
    """Seat the bot. Raises UnseatableError, or whatever its constructor raises."""
    if isinstance(entry, type):
        named: dict[str, object] = {"nodes": chair.nodes, "connect": chair.rules.connect}
        position = None
        if chair.count is not None:
            position = Position(chair.rules)
            named |= {"position": position, "seconds": chair.move_seconds, "count": chair.count}
        bot = call_with(entry, (chair.player, DEFAULT_LEVEL), named, chair.options)
        seat = RackSeat(chair, bot.pick_move)  # type: ignore[attr-defined]
        return seat if position is None else EngineSeat(seat, position)
    if chair.options:
        raise UnseatableError(f"is a function, which takes no options ({', '.join(chair.options)})")
    if len(inspect.signature(entry).parameters) >= 2:
        return RackSeat(chair, lambda rack: entry(rack, chair.player))
    return RackSeat(chair, entry)


class RackSeat:
    """Keeps the rack up to date, one column a move."""

    def __init__(self, chair: Chair, pick: Callable[..., object]) -> None:
        rows, columns = chair.rules.rows, chair.rules.columns
        self._air = [(0,) * (rows - height) for height in range(rows + 1)]
        self._discs: list[tuple[int, ...]] = [()] * columns
        self._columns = [self._air[0]] * columns
        self._pick = pick

    def see(self, player: int, column: int) -> None:
        """A disc of `player` falls in `column`."""
        discs = self._discs[column] = self._discs[column] + (player,)
        self._columns[column] = discs + self._air[len(discs)]

    def pick(self) -> object:
        """The bot's answer to the rack as it stands."""
        return self._pick(tuple(self._columns))


class EngineSeat:
    """Keeps a house player's position up to date, besides its rack."""

    def __init__(self, seat: RackSeat, position: Position) -> None:
        self._seat = seat
        self._position = position

    def see(self, player: int, column: int) -> None:
        """A disc of `player` falls in `column`."""
        self._seat.see(player, column)
        self._position.play(column)

    def pick(self) -> object:
        """The player's answer."""
        return self._seat.pick()
