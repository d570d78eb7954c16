"""The two sides of a game: what the referee asks of a player, and what it gets back. And the house
player `random` without a process, the opponent of a bot on trial.

That is Arena's own and needs no confinement; its process would take longer to start than a quick
bot takes for its trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Protocol

from arena.game.verdict import AT_PLY, Ending, Proof, Verdict
from arena.rules import Position, Ruleset

Answer = tuple[int, int, int]
"""A player's move: (column, charged nanoseconds, nodes).

The column may be any integer, it is not yet checked against the board; nodes are calls of the
search function, -1 if they cannot be counted. A bare tuple, because one is built every move.
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that a player broke instead of answering."""

    verdict: Verdict
    """The rule."""

    reason: str
    """The predicate of a sentence with the player as subject: `raised ValueError: …`."""

    charged_ns: int = 0
    """Time charged until then."""

    nodes: int = -1
    """Nodes counted until then."""

    ending: Ending | None = None
    """The entry of the table that `reason` was made from; None for a player that is a script."""

    ply: int | None = None
    """The ply, from 1, at which it was committed; None for a player that is not in its seat yet."""

    proof: Proof | None = None
    """Evidence that it may not be the player's own fault; None if there is none."""

    @classmethod
    def of(cls, ending: Ending, charged_ns: int = 0, nodes: int = -1, **facts: object) -> Fault:
        """Build the fault of such an ending, with these facts in its sentence."""
        reason = ending.sentence.format(nodes=nodes, **facts)
        return cls(ending.verdict, reason, charged_ns, nodes, ending)

    @property
    def sentence(self) -> str:
        """The reason, with the ply if there is one."""
        if self.ply is None:
            return self.reason
        return AT_PLY.format(reason=self.reason, ply=self.ply)


class Player(Protocol):
    """A side in a game: a bot's process, or a script in a test."""

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Get ready for a game as player 0, who moves first from the empty board, or 1."""

    def ask(self, seen: int) -> Answer | Fault:
        """Be told the opponent's column, or -1 if it has not moved since, and move."""

    def dismiss(self) -> str:
        """Take leave after a fault; return the last text that the player printed in this game."""


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
