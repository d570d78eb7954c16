"""Seats of bots that are shown a board object of their own course's class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.interfaces.binding import call_by_name
from arena.interfaces.interface import Unseatable
from arena.rules import Ruleset

HEIGHT = ("height", "rows", "numrows", "nrows")
WIDTH = ("width", "columns", "cols", "numcolumns", "numcols", "ncols")
"""Names of the sides of a board; see `binding.Supply`."""

Drop = Callable[[Any, int, int], object]
"""Has a disc of a player fall on a board in a column: `drop(board, player, column)`."""


class BoardSeat:
    """Remembers the discs, and puts them on a new board for every move.

    So a bot may leave its board as it likes.
    """

    def __init__(
        self,
        pick: Callable[[Any], object],
        board: type,
        sides: tuple[tuple[str, ...], tuple[str, ...]],
        drop: Drop,
        rules: Ruleset,
    ) -> None:
        """`sides` are HEIGHT and WIDTH in the order in which the course's board takes them.

        Raises Unseatable if the class makes no board of this size.
        """
        self._pick = pick
        self._class = board
        self._drop = drop
        lengths = {HEIGHT: rules.rows, WIDTH: rules.columns}
        self._sides = {names: lambda names=names: lengths[names] for names in sides}
        self._discs: list[tuple[int, int]] = []
        self._check(rules)

    def see(self, player: int, column: int) -> None:
        """A disc of `player` falls in `column`."""
        self._discs.append((player, column))

    def pick(self) -> object:
        """The bot's answer to the board as it stands."""
        board = call_by_name(self._class, self._sides)
        for player, column in self._discs:
            self._drop(board, player, column)
        return self._pick(board)

    def _check(self, rules: Ruleset) -> None:
        """Raise Unseatable if the class makes no board of this size."""
        asked = f"{rules.rows} rows × {rules.columns} columns"
        try:
            board = call_by_name(self._class, self._sides)
        except Unseatable as error:
            raise Unseatable(f"has a Board of its own that {error}") from None
        except MemoryError:
            raise
        except Exception as error:
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            raise Unseatable(f"has a Board that cannot be made with {asked} ({said})") from error
        made = [getattr(board, name, None) for name in ("height", "width")]
        if all(type(side) is int for side in made) and made != [rules.rows, rules.columns]:
            always = f"{made[0]} rows × {made[1]} columns"
            raise Unseatable(f"has a Board that is always {always}, and this game has {asked}")
