"""Evidence: the results of n players as sums that can be added up from parts.

An opening is played twice by the same two players, with the sides swapped. The two games depend
on each other, so the pair is the unit of evidence; a part of a contest holds whole pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Sums over opening pairs, each an n × n array: row i, column j is player i against player j.

    In one opening pair g games against j count for i, who makes p points in them; for j it may be
    other numbers g' and p', as a game can count for one side only. Parts are added with `+`.
    """

    games: Floats
    """Σ g: games that count for i."""
    points: Floats
    """Σ p: points of i in them, 1 for a win and ½ for a draw."""
    games_squared: Floats
    """Σ g²."""
    games_points: Floats
    """Σ g·p."""
    points_squared: Floats
    """Σ p²."""
    games_both: Floats
    """Σ g·g'."""
    games_points_both: Floats
    """Σ g·p'."""
    points_both: Floats
    """Σ p·p'."""

    @property
    def players(self) -> int:
        """Number n of players."""
        return len(self.games)

    def __add__(self, other: Evidence) -> Evidence:
        """Return the evidence of two parts together."""
        sums = ((f.name, getattr(self, f.name) + getattr(other, f.name)) for f in fields(self))
        return Evidence(**dict(sums))

    @classmethod
    def none(cls, players: int) -> Evidence:
        """Return the evidence of no game."""
        return cls(**{f.name: np.zeros((players, players)) for f in fields(cls)})

    @classmethod
    def of(
        cls,
        players: int,
        one: ArrayLike,
        other: ArrayLike,
        games: tuple[ArrayLike, ArrayLike],
        points: tuple[ArrayLike, ArrayLike],
    ) -> Evidence:
        """Return the evidence of opening pairs, each an entry of these arrays.

        `one` and `other` are its two players, `games` and `points` what counts for each of them.
        Pairs of a player with itself tell nothing and are left out.
        """
        i, j = np.asarray(one, dtype=np.int64), np.asarray(other, dtype=np.int64)
        told = i != j
        i, j = i[told], j[told]
        (g, h), (p, q) = (
            tuple(np.asarray(side, dtype=np.float64)[told] for side in both)
            for both in (games, points)
        )
        rows = np.concatenate([i, j]) * players + np.concatenate([j, i])
        own_games, own_points = np.concatenate([g, h]), np.concatenate([p, q])
        their_games, their_points = np.concatenate([h, g]), np.concatenate([q, p])

        def summed(values: Floats) -> Floats:
            flat = np.bincount(rows, weights=values, minlength=players * players)
            return flat.reshape(players, players).astype(np.float64)

        return cls(
            games=summed(own_games),
            points=summed(own_points),
            games_squared=summed(own_games**2),
            games_points=summed(own_games * own_points),
            points_squared=summed(own_points**2),
            games_both=summed(own_games * their_games),
            games_points_both=summed(own_games * their_points),
            points_both=summed(own_points * their_points),
        )
