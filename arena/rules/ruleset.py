"""Rulesets: board size, discs in a line, and goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from arena.common.errors import SettingError
from arena.common.text import counted

MAX_SIDE = 64  # Most rows or columns. Far above any course's board; limits memory.


class Goal(StrEnum):
    """The rule that ends a game and decides its winner.

    >>> from arena import Goal
    >>> Goal("most")
    <Goal.MOST: 'most'>
    """

    FIRST = "first"
    """The first complete line wins at once."""

    MOST = "most"
    """More lines on the full board win (MaxConnect4)."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules of a game.

    Raises SettingError, which is a ValueError, for an impossible board.

    >>> from arena import Ruleset
    >>> print(Ruleset(rows=8, columns=8))
    8 rows × 8 columns, connect 4
    """

    rows: int = 6
    """Rows of the board, 1 to MAX_SIDE."""

    columns: int = 7
    """Columns of the board, 1 to MAX_SIDE."""

    connect: int = 4
    """Discs in a winning line, at least 2."""

    goal: Goal = Goal.FIRST
    """The first line wins, or the most lines on a full board."""

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            if not 1 <= getattr(self, name) <= MAX_SIDE:
                raise SettingError(name, getattr(self, name), f"1 to {MAX_SIDE}")
        if not 2 <= self.connect <= MAX_SIDE:
            raise SettingError("connect", self.connect, f"2 to {MAX_SIDE}")

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    def require_line(self) -> None:
        """Raise SettingError if no line fits on the board.

        Called for line lengths that a user sets; the constructor allows longer lines. A line of two
        discs is allowed on every board.
        """
        most = max(self.rows, self.columns, 2)
        if self.connect > most:
            size = f"{counted(self.rows, 'row')} × {counted(self.columns, 'column')}"
            raise SettingError("connect", self.connect, f"2 to {most}, as the board has {size}")

    def __str__(self) -> str:
        rows, columns = counted(self.rows, "row"), counted(self.columns, "column")
        text = f"{rows} × {columns}, connect {self.connect}"
        return text if self.goal is Goal.FIRST else f"{text}, most lines"


# The named rules: the common game, an 8×8 course contest, and MaxConnect4.
RULESETS: Mapping[str, Ruleset] = MappingProxyType(
    {
        "classic": Ruleset(),
        "cs4100": Ruleset(rows=8, columns=8),
        "max": Ruleset(goal=Goal.MOST),
    }
)
