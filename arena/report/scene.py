"""The facts that a view of a contest under way shows, as of one moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.report.watched import Watched


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A bot's row of the standings."""

    name: str
    """Its name."""

    rank: int
    """Its rank; bots that are level share it."""

    points: float
    """Its points so far."""

    games: int
    """Its games so far."""

    faults: int
    """The games that it lost by a fault."""

    is_retired: bool
    """True if it plays no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneState:
    """The games of a lane."""

    names: tuple[str, str]
    """The bots that play, the one that moves first before the other."""

    played: int
    """Games of this pairing that were played."""

    of: int
    """All games of this pairing."""

    game: int
    """Number of the game."""

    following: int
    """Number of games that the lane plays after it."""

    seconds: float
    """For how long it has been playing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultState:
    """A bot's faults of one kind."""

    name: str
    """The bot."""

    verdict: str
    """The name of the verdict."""

    reason: str
    """A predicate: the bot's last fault of this kind."""

    game: int
    """The number of the game that ended by it."""

    times: int
    """Games that ended so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything that a view shows."""

    share: float
    """The part of the contest that is done, from 0 to 1."""

    facts: Sequence[str]
    """How far it is and how long it takes, as phrases."""

    standings: Sequence[Standing]
    """The bots that have played, the leading one first."""

    lanes: Sequence[LaneState | None]
    """The lanes in order; None for one that has nothing to play."""

    watched: Watched | None
    """The board to be drawn."""

    faults: Sequence[FaultState]
    """The faults, the last one last."""
