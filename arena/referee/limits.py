"""The time, nodes and memory that a contest allows its bots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arena.errors import SettingError

SECOND = 1_000_000_000
"""A second in nanoseconds."""


def _limit(default: Any, words: str, metavar: str = "N") -> Any:
    """Return a field with its default and what the commands' help says of it."""
    return field(default=default, metadata={"words": words, "metavar": metavar})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The time, nodes and memory that a bot may spend: the same for every bot of a contest."""

    move_seconds: float = _limit(30.0, "Time for one move", "S")
    """Charged time for one move, in seconds."""

    first_move_seconds: float = _limit(10.0, "Added to that for a bot's first move", "S")
    """Charged seconds on top of `move_seconds` for a bot's first move of a game (JIT warm-up)."""

    load_seconds: float = _limit(60.0, "Time to be imported and built", "S")
    """Charged seconds to be imported and built, for every game."""

    nodes: int | None = _limit(10_000, "Node budget for one move, 0 for none")
    """Calls of the search function for one move; None for no budget."""

    nodes_for_all: bool = False
    """True if the budget also holds for bots of interfaces whose courses know none, as it does
    where somebody has asked for one."""

    memory_mb: int = _limit(512, "Memory of a bot's process, in MiB")
    """Memory a bot's process may allocate, in MiB."""

    def __post_init__(self) -> None:
        for name in ("move_seconds", "first_move_seconds", "load_seconds"):
            # 5 and 5.0 are the same limit, and must be the same in the key of a game
            object.__setattr__(self, name, float(getattr(self, name)))
        for name in ("move_seconds", "load_seconds"):
            if not 0 < getattr(self, name) < 1e6:
                raise SettingError(name, f"{getattr(self, name):g}", "more than 0 seconds")
        if not 0 <= self.first_move_seconds < 1e6:
            raise SettingError(
                "first_move_seconds", f"{self.first_move_seconds:g}", "0 or more seconds"
            )
        if self.nodes is not None and not 1 <= self.nodes < 1 << 62:
            raise SettingError(
                "nodes", self.nodes, "1 or more, or 0 (in Python None) for no budget"
            )
        if not 64 <= self.memory_mb <= 1 << 20:
            raise SettingError("memory_mb", self.memory_mb, f"64 to {1 << 20}")

    def __str__(self) -> str:
        nodes = "any number of nodes" if self.nodes is None else f"{self.nodes:,} nodes"
        return f"{nodes}, {self.move_seconds:g} s a move"
