"""The ways in which a game can end."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """How a game ended. LINE, MOST_LINES and BOARD_FULL are play, the others a bot's fault."""

    LINE = "made a line"
    MOST_LINES = "made the most lines"
    BOARD_FULL = "board full"
    TIMEOUT = "ran out of time"
    NODES = "searched too many nodes"
    ILLEGAL_MOVE = "made an illegal move"
    ERROR = "raised an error"
    CRASH = "crashed"
    MEMORY = "ran out of memory"
    PROTOCOL = "disturbed the protocol"
    LOAD_ERROR = "could not be loaded"

    @property
    def is_fault(self) -> bool:
        """True if a bot broke a rule; it loses the game, unless both could not be loaded."""
        return self not in (Verdict.LINE, Verdict.MOST_LINES, Verdict.BOARD_FULL)
