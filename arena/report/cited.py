"""The games that a page names, and the commands on it that show them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping


class CitedGames:
    """The games that a page for a bot's author names, by the numbers that they have for it."""

    def __init__(self, command: str, numbers: Mapping[int, int], source: str = "") -> None:
        """`command` shows a game, once its number is added; `numbers` are by those in the contest,
        in order. `source` is the name of what was handed in, if that is known."""
        self._command, self._numbers = command, numbers
        self._source = source or "my_bot.py"
        self._named: set[int] = set()

    def number(self, game: int) -> int:
        """Return what a game of the contest is called on the page, which names it from now on."""
        number = self._numbers[game]
        self._named.add(number)
        return number

    def replay(self, game: int) -> str:
        """Return the command that shows a game of the contest."""
        return f"{self._command} {self.number(game)}"

    def rerun(self, game: int) -> str:
        """Return the command that asks the bot again what it was asked in a game."""
        return f"{self.replay(game)} --rerun {shlex.quote(self._source)}"

    @property
    def named(self) -> frozenset[int]:
        """The numbers that the page names."""
        return frozenset(self._named)
