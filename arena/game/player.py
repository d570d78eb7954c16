"""The players of a game, as the referee sees them, and the house player `random`.

`RandomPlayer` is the opponent in trial games. It is Arena's own code and needs no process. Starting
a process would take longer than all trial games of a quick bot.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Protocol

from arena.game.verdict import AT_PLY, Ending, Proof, Verdict
from arena.rules import Position, Ruleset

# A player's move: (column, charged nanoseconds, nodes). The column is any integer, not yet checked
# against the board. Nodes are calls of the search function, -1 if they cannot be counted. This is a
# bare tuple for speed: every move builds one.
Answer = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that a player broke instead of answering."""

    verdict: Verdict

    reason: str
    """The fault as a sentence without its subject, the player: `raised ValueError: …`."""

    charged_ns: int = 0

    nodes: int = -1
    """Nodes of the answer; -1 if unknown."""

    ending: Ending | None = None
    """The event behind the verdict; None for a scripted player."""

    ply: int | None = None
    """The ply, from 1; None while the player is being loaded."""

    proof: Proof | None = None
    """Evidence that the fault may not be the player's own."""

    @classmethod
    def of(cls, ending: Ending, charged_ns: int = 0, nodes: int = -1, **facts: object) -> Fault:
        """Build a fault; `facts` fill the braces in the ending's sentence."""
        reason = ending.sentence.format(nodes=nodes, **facts)
        return cls(ending.verdict, reason, charged_ns, nodes, ending)

    @property
    def sentence(self) -> str:
        if self.ply is None:
            return self.reason
        return AT_PLY.format(reason=self.reason, ply=self.ply)


class Player(Protocol):
    """A side in a game: a bot's process, or a script in a test."""

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Prepare for a game; return None or a fault.

        `player` is 0 for the side that moves first from the empty board, else 1.
        """

    def ask(self, seen: int) -> Answer | Fault:
        """Return a move. `seen` is the opponent's last column, -1 before its first move."""

    def dismiss(self) -> str:
        """End the player after a fault; return the end of what it printed in this game."""


class RandomPlayer:
    """Draws exactly the columns that the house player `random` draws."""

    def __init__(self) -> None:
        self._position: Position
        self._random: Random

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> None:
        self._position = Position(rules, opening)
        self._random = Random(seed)

    def ask(self, seen: int) -> Answer:
        if seen >= 0:
            self._position.play(seen)
        columns, legal = self._position.rules.columns, self._position.legal()
        column = self._random.randrange(columns)
        while column not in legal:
            column = self._random.randrange(columns)
        self._position.play(column)
        return column, 0, -1

    def dismiss(self) -> str:
        return ""
