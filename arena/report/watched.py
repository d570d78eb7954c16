"""The board in a view of a contest under way: a game that ended just now, replayed.

A game is replayed because a lane tells nothing of a game before it ends: that would cost time in
every move.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena.contest import ScheduledGame
from arena.referee import GameRecord
from arena.rules import Position

REST = 6
"""Frames for which the end of a game is shown, at least."""

LONGEST = 60
"""Frames in which a game is replayed, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A game at one of its plies."""

    game: ScheduledGame
    """The game's place in the contest."""

    record: GameRecord
    """The game as it was played."""

    ply: int
    """Discs on the board that is shown."""

    rested: int = 0
    """Frames since its end was shown first."""

    @classmethod
    def begin(cls, game: ScheduledGame, record: GameRecord) -> Watched:
        """Return a game at its opening."""
        return cls(game=game, record=record, ply=record.opening_plies)

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return Position(self.game.key.rules, self.record.columns[: self.ply])

    @property
    def is_at_end(self) -> bool:
        """True if the last disc has fallen."""
        return self.ply == len(self.record.columns)

    def next(self, latest: tuple[ScheduledGame, GameRecord] | None) -> Watched:
        """Return the next frame: a ply more, and after the end the game that ended last."""
        if not self.is_at_end:
            moves = len(self.record.columns) - self.record.opening_plies
            ply = min(self.ply + 1 + moves // LONGEST, len(self.record.columns))
            return Watched(game=self.game, record=self.record, ply=ply)
        if self.rested >= REST and latest is not None and latest[1] is not self.record:
            return Watched.begin(*latest)
        return Watched(game=self.game, record=self.record, ply=self.ply, rested=self.rested + 1)
