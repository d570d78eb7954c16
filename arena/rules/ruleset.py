"""Rulesets: the size of the board, how many discs make a line, and the goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from arena.common.errors import SettingError
from arena.common.text import counted

MAX_SIDE = 64
"""The largest number of rows or columns. Far above any course; keeps tables in memory."""


class Goal(StrEnum):
    """The goal of a game: it says what ends the game and who has won."""

    FIRST = "first"
    """The first player to complete a line wins at once."""

    MOST = "most"
    """The board is filled; whoever has more lines wins (MaxConnect4)."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules of a game. Raises ValueError for a board that cannot exist."""

    rows: int = 6
    """Height of the board, 1 to MAX_SIDE."""

    columns: int = 7
    """Width of the board, 1 to MAX_SIDE."""

    connect: int = 4
    """Discs in a line, at least 2."""

    goal: Goal = Goal.FIRST
    """When the game ends and who wins."""

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            if not 1 <= getattr(self, name) <= MAX_SIDE:
                raise SettingError(name, getattr(self, name), f"1 to {MAX_SIDE}")
        if not 2 <= self.connect <= MAX_SIDE:
            raise SettingError("connect", self.connect, f"2 to {MAX_SIDE}")

    @property
    def cells(self) -> int:
        """Number of cells, which is the length of the longest game in plies."""
        return self.rows * self.columns

    def require_line(self) -> None:
        """Raise SettingError if no line can be made. Two discs are allowed on every board.

        Rules themselves allow it: a board of one cell has no lines. It is a mistake where somebody
        names the length of a line.
        """
        most = max(self.rows, self.columns, 2)
        if self.connect > most:
            size = f"{counted(self.rows, 'row')} × {counted(self.columns, 'column')}"
            raise SettingError("connect", self.connect, f"2 to {most}, as the board has {size}")

    def __str__(self) -> str:
        rows, columns = counted(self.rows, "row"), counted(self.columns, "column")
        text = f"{rows} × {columns}, connect {self.connect}"
        return text if self.goal is Goal.FIRST else f"{text}, most lines"


RULESETS: Mapping[str, Ruleset] = MappingProxyType(
    {
        "classic": Ruleset(),
        "cs4100": Ruleset(rows=8, columns=8),
        "max": Ruleset(goal=Goal.MOST),
    }
)
"""The named rules: the common game, the 8×8 course contest, and MaxConnect4."""
