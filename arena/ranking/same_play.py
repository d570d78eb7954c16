"""Comparing how two bots play: do they choose the same wherever they are asked the same?

An opponent with random numbers plays differently against each of the two. So two games are
compared up to the ply at which an opponent chose differently.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Points = NDArray[np.float64]

FIRST_LOOK = 16
"""Games in which two bots are compared before they are compared in all."""

ENOUGH_GAMES = 20
ENOUGH_POSITIONS = 100
"""Two bots play the same if they choose the same in so many games and different positions, and
never otherwise. With fewer, two that think alike could look the same by chance."""


def alike(
    movers: Rows, openings: Rows, moves: Rows, bots: int, most_openings: int
) -> Iterator[tuple[int, Rows]]:
    """Yield each bot with those after it that always choose the same move after an opening.

    The arrays have an entry for each game: the bot that was the first to move, the opening, and the
    move. A bot that chose differently after one opening is not in a pair.
    """
    choice = movers * most_openings + openings
    last = np.full(bots * most_openings, -1)
    last[choice] = moves
    is_steady = np.ones(bots, dtype=bool)
    is_steady[movers[last[choice] != moves]] = False
    chosen = last.reshape(bots, most_openings)
    steady = np.flatnonzero(is_steady)
    for place, one in enumerate(steady):
        others = steady[place + 1 :]
        both = (chosen[one] >= 0) & (chosen[others] >= 0)
        same = both.any(axis=1) & ((chosen[one] == chosen[others]) | ~both).all(axis=1)
        if same.any():
            yield int(one), others[same]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two bots in pairs of games with the same opponent, opening and side.

    Their games against each other make such pairs, too.
    """

    games: int
    """Pairs of games that were compared."""

    positions: int
    """Different positions in which both chose the same; counted no further than ENOUGH_POSITIONS.
    """

    differs: bool
    """True if they chose differently in a position, or only one of them broke a rule there."""

    points: Points
    """Points that the first of the two made more, for each opponent and opening."""

    @property
    def distance(self) -> float:
        """How many points the two are apart."""
        return abs(float(self.points.sum()))

    @property
    def is_same_play(self) -> bool:
        """True if that is enough to say that they play the same."""
        enough = self.games >= ENOUGH_GAMES and self.positions >= ENOUGH_POSITIONS
        return enough and not self.differs and is_chance(self.points)


def is_chance(differences: Points) -> bool:
    """Return True if two equal bots may differ by so many points.

    `differences` has an entry for each opponent and opening: how many points more one made there.
    Those of equal bots are as often positive as negative, so their sum has a standard deviation
    that is the root of the sum of their squares. Twice that is allowed: nothing where nothing
    differs, and four openings where all were lost.
    """
    return abs(float(differences.sum())) <= 2 * sqrt(float((differences**2).sum()))


class PlayedGames:
    """The games of a contest that were played, looked up by their bots."""

    def __init__(self, games: pd.DataFrame) -> None:
        """`games` are as from `games_frame`; forfeits of retired bots are left out."""
        games = games[games["is_game"].astype(bool) & ~games["is_forfeit"].astype(bool)]
        codes, bots = pd.factorize(pd.concat([games["first"], games["second"]]))
        self._code = {str(bot): code for code, bot in enumerate(bots)}
        self._opening, openings = pd.factorize(games["opening"])
        self._openings = [str(text) for text in openings]
        self._moves = games["moves"].to_list()
        self._verdict = games["verdict"].to_numpy()
        won, lost = (games[name].to_numpy() == games["first"] for name in ("winner", "loser"))
        self._points = 0.5 + 0.5 * won.to_numpy() - 0.5 * lost.to_numpy()
        self._by_fault = games["fault"].to_numpy(dtype=bool)
        self._seats = codes.reshape(2, len(games))
        seat = np.repeat([0, 1], len(games))
        opponent = self._seats[::-1].ravel()
        keys = (opponent * len(openings) + np.tile(self._opening, 2)) * 2 + seat
        order = np.lexsort((keys, codes))
        self._keys, self._rows = keys[order], order % max(1, len(games))
        self._starts = np.searchsorted(codes[order], np.arange(len(bots) + 1))
        self._chance: dict[str, bool] = {}  # of the bots that were looked at

    def candidates(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of bots that may play the same: a cheap look, before `compare`.

        The first move after an opening does not depend on the opponent. So no bot that does not
        always choose the same there is in a pair, and no two that choose differently there or in
        the first of their games.
        """
        bots = list(self._code)
        length = np.array([len(text) for text in self._openings], dtype=np.int64)[self._opening]
        to_move = np.array([len(text.split()) % 2 for text in self._openings], dtype=np.int64)
        movers = self._seats[to_move[self._opening], np.arange(len(self._moves))]
        first_moves = [
            moves[start : start + 4].strip().partition(" ")[0]
            for moves, start in zip(self._moves, length.tolist(), strict=True)
        ]
        # none where a bot could not be loaded, or failed at once: that is no choice of a move
        is_move = np.array([bool(move) for move in first_moves], dtype=bool)
        movers, move = movers[is_move], pd.factorize(pd.Index(first_moves))[0][is_move]
        openings = self._opening[is_move]
        for one, others in alike(movers, openings, move, len(bots), len(self._openings)):
            for other in others:
                if not self.compare(bots[one], bots[other], FIRST_LOOK).differs:
                    yield bots[one], bots[other]

    def compare(self, one: str, other: str, most: int | None = None) -> Comparison:
        """Compare two bots, game by game until they differ; in so many games at most."""
        keys, mine, theirs, is_mutual = self._pairs(one, other, most)
        seats = keys % 2
        positions: set[str] = set()
        differs = False
        for seat, a, b, mutual in zip(
            *(column.tolist() for column in (seats, mine, theirs, is_mutual)), strict=True
        ):
            plies, difference = self._difference(seat, a, b)
            if len(positions) < ENOUGH_POSITIONS:
                positions.update(self._asked(seat, a, plies))
            if difference == seat or (difference is not None and mutual):
                differs = True
                break
        return Comparison(
            games=len(seats),
            positions=min(len(positions), ENOUGH_POSITIONS),
            differs=differs,
            points=self._points_apart(keys, mine, theirs),
        )

    def is_same_source(self, comparison: Comparison, one: str, other: str) -> bool:
        """Return True if two bots with the same source, compared so, play like one bot.

        They may choose differently only if both have chance: each chose differently itself when it
        was asked the same again.
        """
        by_chance = not comparison.differs or (self._has_chance(one) and self._has_chance(other))
        return by_chance and is_chance(comparison.points)

    def has_games(self, bot: str) -> bool:
        """Return True if a bot has played."""
        return bot in self._code

    def _has_chance(self, bot: str) -> bool:
        """Return True if a bot was asked the same twice and chose differently."""
        if bot not in self._chance:
            self._chance[bot] = self._chose_differently(bot)
        return self._chance[bot]

    def _chose_differently(self, bot: str) -> bool:
        chosen: dict[str, str] = {}
        keys, rows = self._games_of(self._code[bot])
        for seat, row in zip((keys % 2).tolist(), rows.tolist(), strict=True):
            moves = self._moves[row].split()
            for position in self._asked(seat, row, len(moves)):
                move = moves[position.count(" ") + 1 if position else 0]
                if chosen.setdefault(position, move) != move:
                    return True
        return False

    def _points_apart(self, keys: Rows, mine: Rows, theirs: Rows) -> Points:
        """Return, for each opponent and opening, how many points more were made in one's games."""
        sign = np.where(keys % 2 == 0, 1.0, -1.0)  # the points are the first player's
        apart = sign * (self._points[mine] - self._points[theirs])
        _, place = np.unique(keys // 2, return_inverse=True)
        return np.bincount(place, weights=apart).astype(np.float64)

    def _pairs(
        self, one: str, other: str, most: int | None = None
    ) -> tuple[Rows, Rows, Rows, NDArray[np.bool_]]:
        """Return the pairs: keys (opponent, opening, seat), rows of both games, if mutual."""
        if one not in self._code or other not in self._code:
            none = np.empty(0, dtype=np.int64)
            return none, none, none, none == 0
        codes = self._code[one], self._code[other]
        (keys, rows), (their_keys, their_rows) = map(self._games_of, codes)
        # in their games with each other the opponent is the other of the two
        a_bot = 2 * len(self._openings)
        keys = np.where(keys // a_bot == codes[1], keys + (codes[0] - codes[1]) * a_bot, keys)
        keys, rows = keys[:most], rows[:most]
        place = np.searchsorted(their_keys, keys).clip(max=len(their_keys) - 1)
        is_common = their_keys[place] == keys
        keys = keys[is_common]
        return keys, rows[is_common], their_rows[place[is_common]], keys // a_bot == codes[0]

    def _games_of(self, bot: int) -> tuple[Rows, Rows]:
        """Return keys of a bot's games (opponent, opening, seat) in order, and their rows."""
        own = slice(self._starts[bot], self._starts[bot + 1])
        return self._keys[own], self._rows[own]

    def _difference(self, seat: int, a: int, b: int) -> tuple[int, int | None]:
        """Return the plies that two games have in common, and whose seat differs there, if any."""
        if self._moves[a] == self._moves[b]:
            plies = self._moves[a].count(" ") + 1
            if self._ending(a) == self._ending(b):
                return plies, None
            return plies, seat if seat in (self._at_fault(a), self._at_fault(b)) else 1 - seat
        moves = self._moves[a].split(), self._moves[b].split()
        plies = next((p for p, (x, y) in enumerate(zip(*moves, strict=False)) if x != y), -1)
        if plies >= 0:
            return plies, plies % 2
        # one of the games was ended by a fault, where the other went on
        shorter = a if len(moves[0]) < len(moves[1]) else b
        return min(map(len, moves)), self._at_fault(shorter)

    def _ending(self, row: int) -> tuple[str, float]:
        return self._verdict[row], self._points[row]

    def _at_fault(self, row: int) -> int | None:
        if not self._by_fault[row]:
            return None
        return 1 if self._points[row] == 1 else 0

    def _asked(self, seat: int, row: int, plies: int) -> Iterator[str]:
        """Yield the positions, each as the moves that led to it, in which the seat chose a move."""
        moves = self._moves[row].split()
        opening = len(self._openings[self._opening[row]].split())
        for ply in range(opening, plies):
            if ply % 2 == seat:
                yield " ".join(moves[:ply])
