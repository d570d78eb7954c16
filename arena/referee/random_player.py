"""The house player `random` without a process: the opponent of a bot on trial.

It is Arena's own and needs no confinement; its process would take longer to start than a quick
bot takes for its trials.
"""

from __future__ import annotations

from random import Random

from arena.referee.player import Answer
from arena.rules import Position, Ruleset


class RandomPlayer:
    """A player that draws the very columns that the house player `random` draws."""

    def __init__(self) -> None:
        self._position: Position
        self._random: Random

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> None:
        """Begin a game; it cannot fail."""
        self._position = Position(rules, opening)
        self._random = Random(seed)

    def ask(self, seen: int) -> Answer:
        """Draw a column, again while it has no room. It is charged nothing."""
        if seen >= 0:
            self._position.play(seen)
        columns, legal = self._position.rules.columns, self._position.legal()
        column = self._random.randrange(columns)
        while column not in legal:
            column = self._random.randrange(columns)
        self._position.play(column)
        return column, 0, -1

    def dismiss(self) -> str:
        """Do nothing; it prints nothing."""
        return ""
