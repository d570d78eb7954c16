"""What the referee asks of a player, and what it gets back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from arena.referee.verdict import Verdict
from arena.rules import Ruleset

Answer = tuple[int, int, int]
"""A player's move: (column, charged nanoseconds, nodes).

The column may be any integer, it is not yet checked against the board; nodes are calls of the
search function, -1 if they cannot be counted. A bare tuple, because one is built every move.
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that a player broke instead of answering."""

    verdict: Verdict
    """Which rule."""

    reason: str
    """What the player did, as the predicate of a sentence: `raised ValueError: …`."""

    charged_ns: int = 0
    """Time charged until then."""

    nodes: int = -1
    """Nodes counted until then."""

    killed: bool = False
    """Whether its process was killed by a signal that may have come from outside."""


class Player(Protocol):
    """A side in a game: a bot's process, or a script in a test."""

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Get ready for a game as player 1 or 2."""

    def ask(self, seen: int) -> Answer | Fault:
        """Be told the opponent's column, or -1 if it has not moved since, and move."""

    def dismiss(self) -> str:
        """Take leave after a fault; returns the last of what the player printed in this game."""
