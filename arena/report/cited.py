"""The games that a page names, and the commands on it that show them."""

from __future__ import annotations

from collections.abc import Mapping


class CitedGames:
    """The games that a page for a bot's author names, by the numbers that they have for it."""

    def __init__(self, command: str, numbers: Mapping[int, int]) -> None:
        """`command` shows a game, once its number is added; `numbers` are by those in the contest,
        in order."""
        self._command, self._numbers = command, numbers
        self._named: set[int] = set()

    def number(self, game: int) -> int:
        """Return what a game of the contest is called on the page, which names it from now on."""
        number = self._numbers[game]
        self._named.add(number)
        return number

    def replay(self, game: int) -> str:
        """Return the command that shows a game of the contest."""
        return f"{self._command} {self.number(game)}"

    @property
    def named(self) -> frozenset[int]:
        """The numbers that the page names."""
        return frozenset(self._named)
