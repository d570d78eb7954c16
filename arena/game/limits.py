"""The time, nodes and memory that a contest allows its bots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from arena.common.errors import SettingError

SECOND = 1_000_000_000  # In nanoseconds.
MOST = 1 << 62  # Larger than any limit may be.


def _limit(default: Any, words: str, label: str, text: str, metavar: str = "N") -> Any:
    """Return a field with the help `words` of its option, and its `label` and format in reports."""
    metadata = {"words": words, "label": label, "text": text, "metavar": metavar}
    return field(default=default, metadata=metadata)


def _seconds(default: float, words: str, label: str) -> Any:
    return _limit(default, words, label, "{:g} s", metavar="S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The time, nodes and memory of a bot: the same for every bot of a contest.

    Raises SettingError for values that are not allowed.

    >>> from arena import Limits
    >>> print(Limits(move_seconds=5, nodes=None))
    any number of nodes, 5 s a move
    """

    move_seconds: float = _seconds(30.0, "Time for one move", "Time for a move")
    """Charged seconds for one move."""

    first_move_seconds: float = _seconds(
        10.0, "Added to that for a bot's first move", "More for a bot's first move"
    )
    """Charged seconds added to `move_seconds` for a bot's first move of a game (JIT warm-up)."""

    load_seconds: float = _seconds(60.0, "Time to be imported and built", "Time to be loaded")
    """Charged seconds to import and build the bot, in every game."""

    nodes: int | None = _limit(
        10_000, "Node budget for one move, 0 for none", "Nodes for a move", "{:,}"
    )
    """Calls of the search function for one move; None for no budget."""

    nodes_for_all: bool = False
    """True if the node budget also holds for interfaces whose courses set no budget."""

    memory_mb: int = _limit(512, "Memory of a bot's process, in MiB", "Memory of a bot", "{:,} MiB")
    """Memory of the bot's process, in MiB."""

    home: bool = False
    """True if bots play in ordinary processes, not confined and timed by the wall clock."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if each.name.endswith("_seconds"):
                # 5 and 5.0 must give the same game key
                object.__setattr__(self, each.name, float(getattr(self, each.name)))
        for name in ("move_seconds", "load_seconds"):
            if not 0 < getattr(self, name) < 1e6:
                raise SettingError(name, f"{getattr(self, name):g}", "more than 0 seconds")
        if not 0 <= self.first_move_seconds < 1e6:
            raise SettingError(
                "first_move_seconds", f"{self.first_move_seconds:g}", "0 or more seconds"
            )
        if self.nodes is not None and not 1 <= self.nodes < MOST:
            raise SettingError(
                "nodes", self.nodes, "1 or more, or 0 (in Python None) for no budget"
            )
        if not 64 <= self.memory_mb <= 1 << 20:
            raise SettingError("memory_mb", self.memory_mb, f"64 to {1 << 20}")

    def __str__(self) -> str:
        nodes = "any number of nodes" if self.nodes is None else f"{self.nodes:,} nodes"
        home = "; home mode, not for grading" if self.home else ""
        return f"{nodes}, {self.move_seconds:g} s a move{home}"

    @property
    def times(self) -> str:
        first = self.move_seconds + self.first_move_seconds
        return (
            f"{self.load_seconds:g} s to be loaded, {first:g} s for a first move and "
            f"{self.move_seconds:g} s for any other"
        )

    @property
    def settings(self) -> Iterator[tuple[str, str]]:
        for each in fields(self):
            if each.metadata:
                value = getattr(self, each.name)
                text = "any number" if value is None else each.metadata["text"].format(value)
                yield each.metadata["label"], text
        if self.home:
            yield "Bots", "not confined: home mode, not for grading"
