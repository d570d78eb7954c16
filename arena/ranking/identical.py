"""Identical bots: they share a rank, a rating and a grade.

They have the same files, sources whose differences change no game, or the same play in every game,
and results that differ only by chance. In a group each two are identical: otherwise a chain of
copies, each a little worse, could join the best bot with any other.

Two bots play the same if they choose the same move whenever both are asked in the same position.
Two games are compared up to the ply at which an opponent chose differently.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.contest.entries import bots_by_name
from arena.settings.contest import BotEntry, Contest

Rows = NDArray[np.int64]
Points = NDArray[np.float64]
FIRST_LOOK = 16  # pairs of games in a first comparison
PLAYED = ["first", "second", "opening", "moves", "verdict", "winner", "loser", "fault"]
# Pairs of games, and different positions with equal choices, that prove the same play. With fewer,
# similar bots could look identical by chance.
ENOUGH_GAMES, ENOUGH_POSITIONS = 20, 100


def same_first_moves(
    movers: Rows, openings: Rows, moves: Rows, bots: int, most_openings: int
) -> Iterator[tuple[int, Rows]]:
    """Yield each bot and the later bots with the same first move after every opening.

    Arrays have an entry for each game: first mover, opening, move. Bots that varied are left out.
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
    """Two bots' games with equal opponent, opening and side, also against each other."""

    games: int

    positions: int
    """Number of different positions in which both chose the same, at most ENOUGH_POSITIONS."""

    differs: bool
    """True if the bots chose differently or only one of them committed a fault."""

    points: Points
    """By how many points the first bot was better, by opponent and opening; 0 without games."""

    @property
    def is_same_play(self) -> bool:
        enough = self.games >= ENOUGH_GAMES and self.positions >= ENOUGH_POSITIONS
        return enough and not self.differs and is_chance(self.points)


def distance(points: Points) -> float:
    return abs(float(points.sum()))


def is_chance(differences: Points) -> bool:
    """Return True if equal bots could differ that much by chance.

    `differences` has the points that one bot made more, by opponent and opening. For equal bots the
    signs are random, so the sum has the standard deviation √Σd². Twice as much is allowed: nothing
    if all are 0, and four openings all lost by one bot.
    """
    return abs(float(differences.sum())) <= 2 * sqrt(float((differences**2).sum()))


class PlayedGames:
    def __init__(self, games: pd.DataFrame) -> None:
        """Index a `games_frame`, without forfeits of retired bots."""
        counts = games["is_game"].astype(bool) & ~games["is_forfeit"].astype(bool)
        games = games.loc[counts, PLAYED]
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
        self._chance: dict[str, bool] = {}

    def candidates(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of bots that may play the same: a quick look before `compare`.

        A first move after an opening does not depend on the opponent. Left out are bots that varied
        it, and pairs that differ in it or in their first games.
        """
        bots = list(self._code)
        length = np.array([len(text) for text in self._openings], dtype=np.int64)[self._opening]
        to_move = np.array([len(text.split()) % 2 for text in self._openings], dtype=np.int64)
        movers = self._seats[to_move[self._opening], np.arange(len(self._moves))]
        first_moves = [
            moves[start : start + 4].strip().partition(" ")[0]
            for moves, start in zip(self._moves, length.tolist(), strict=True)
        ]
        # "" if the bot chose no move, as it could not be loaded or failed at once
        is_move = np.array([bool(move) for move in first_moves], dtype=bool)
        movers, move = movers[is_move], pd.factorize(pd.Index(first_moves))[0][is_move]
        openings = self._opening[is_move]
        for one, others in same_first_moves(movers, openings, move, len(bots), len(self._openings)):
            for other in others:
                if not self.compare(bots[one], bots[other], FIRST_LOOK).differs:
                    yield bots[one], bots[other]

    def compare(self, one: str, other: str, most: int | None = None) -> Comparison:
        keys, rows, other_rows, is_mutual = self._pairs(one, other, most)
        seats = keys % 2
        positions: set[str] = set()
        differs = False
        for seat, a, b, mutual in zip(
            *(column.tolist() for column in (seats, rows, other_rows, is_mutual)), strict=True
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
            points=self._points_apart(keys, rows, other_rows),
        )

    def same_source_distance(self, one: str, other: str) -> float | None:
        """Return how far apart two bots of one source are; None if they play unlike.

        They may differ only if both are random: each varied its choice in some position.
        """
        if self._chance.get(one) and self._chance.get(other):  # so their moves need no look
            points = self._points_apart(*self._pairs(one, other)[:3])
        else:
            comparison = self.compare(one, other)
            if comparison.differs and not (self._has_chance(one) and self._has_chance(other)):
                return None
            points = comparison.points
        return distance(points) if is_chance(points) else None

    def has_games(self, bot: str) -> bool:
        return bot in self._code

    def _has_chance(self, bot: str) -> bool:
        if bot not in self._chance:
            self._chance[bot] = self._varies(bot)
        return self._chance[bot]

    def _varies(self, bot: str) -> bool:
        chosen: dict[str, str] = {}
        keys, rows = self._games_of(self._code[bot])
        for seat, row in zip((keys % 2).tolist(), rows.tolist(), strict=True):
            moves = self._moves[row].split()
            for position in self._asked(seat, row, len(moves)):
                move = moves[position.count(" ") + 1 if position else 0]
                if chosen.setdefault(position, move) != move:
                    return True
        return False

    def _points_apart(self, keys: Rows, rows: Rows, other_rows: Rows) -> Points:
        sign = np.where(keys % 2 == 0, 1.0, -1.0)  # the points are the first player's
        apart = sign * (self._points[rows] - self._points[other_rows])
        return np.bincount(keys // 2, weights=apart).astype(np.float64)

    def _pairs(
        self, one: str, other: str, most: int | None = None
    ) -> tuple[Rows, Rows, Rows, NDArray[np.bool_]]:
        """Return keys (opponent, opening, seat), rows of each bot's games, and which are mutual."""
        if one not in self._code or other not in self._code:
            none = np.empty(0, dtype=np.int64)
            return none, none, none, none == 0
        codes = self._code[one], self._code[other]
        (keys, rows), (their_keys, their_rows) = map(self._games_of, codes)
        # in a game between the two, each is the opponent of the other: give both the same key
        a_bot = 2 * len(self._openings)
        keys = np.where(keys // a_bot == codes[1], keys + (codes[0] - codes[1]) * a_bot, keys)
        keys, rows = keys[:most], rows[:most]
        places = np.full(len(self._code) * a_bot, -1)  # quicker than to search the keys
        places[their_keys] = np.arange(len(their_keys))
        place = places[keys]
        is_common = place >= 0
        keys = keys[is_common]
        return keys, rows[is_common], their_rows[place[is_common]], keys // a_bot == codes[0]

    def _games_of(self, bot: int) -> tuple[Rows, Rows]:
        own = slice(self._starts[bot], self._starts[bot + 1])
        return self._keys[own], self._rows[own]

    def _difference(self, seat: int, a: int, b: int) -> tuple[int, int | None]:
        """Return the number of common plies, and the seat that then differs, or None."""
        if self._moves[a] == self._moves[b]:
            plies = self._moves[a].count(" ") + 1
            if self._verdict[a] == self._verdict[b] and self._points[a] == self._points[b]:
                return plies, None
            return plies, seat if seat in (self._at_fault(a), self._at_fault(b)) else 1 - seat
        moves = self._moves[a].split(), self._moves[b].split()
        plies = next((p for p, (x, y) in enumerate(zip(*moves, strict=False)) if x != y), -1)
        if plies >= 0:
            return plies, plies % 2
        # a fault ended one game at a ply at which the other continued
        shorter = a if len(moves[0]) < len(moves[1]) else b
        return min(map(len, moves)), self._at_fault(shorter)

    def _at_fault(self, row: int) -> int | None:
        if not self._by_fault[row]:
            return None
        return 1 if self._points[row] == 1 else 0

    def _asked(self, seat: int, row: int, plies: int) -> Iterator[str]:
        moves = self._moves[row].split()
        for ply in range(len(self._openings[self._opening[row]].split()), plies):
            if ply % 2 == seat:
                yield " ".join(moves[:ply])


class Sameness(StrEnum):
    FILES = "the same files"
    """Same content, entry point and options: their games have the same keys."""

    SOURCE = "the same except for comments, layout and names"
    """Same `Submission.likeness` and options."""

    PLAY = "the same move in every position they were both asked in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    bots: tuple[str, ...]
    sameness: Sameness
    """The weakest sameness of any pair in the group."""


def identical_bots(games: pd.DataFrame, contest: Contest) -> tuple[Group, ...]:
    bots = contest.playing
    played = PlayedGames(games)
    # by a bot that has games, which stand for those of all bots with the same files
    files = {
        next(filter(played.has_games, names), names[0]): names for names in same_files(contest)
    }
    close = _close_pairs({name: bot for name, bot in bots.items() if name in files}, played)
    place = {name: number for number, name in enumerate(bots)}
    groups = []
    marks = {name: bots[name].content_hash or name for name in files}
    for players in _joined(marks, close):
        names = [name for player in players for name in files[player]]
        shown = [close[pair][1] for pair in map(frozenset, combinations(players, 2))]
        sameness = max(shown, key=list(Sameness).index, default=Sameness.FILES)
        if len(names) > 1:
            groups.append(
                Group(bots=tuple(sorted(names, key=place.__getitem__)), sameness=sameness)
            )
    return tuple(sorted(groups, key=lambda group: place[group.bots[0]]))


def representatives(groups: Iterable[Group]) -> dict[str, str]:
    return {bot: group.bots[0] for group in groups for bot in group.bots}


def others_of(groups: Iterable[Group]) -> dict[str, tuple[str, ...]]:
    return {
        bot: tuple(other for other in group.bots if other != bot)
        for group in groups
        for bot in group.bots
    }


def _same_sources(bots: Mapping[str, BotEntry]) -> Iterator[tuple[str, str]]:
    by_terms: dict[str, list[str]] = {}
    for name, bot in bots.items():
        if bot.likeness:
            point = bot.entry_point
            # the name of the search function may differ
            no_name = point.node_function is None
            terms = (bot.likeness, point.interface, dict(point.options), no_name)
            by_terms.setdefault(json.dumps(terms, sort_keys=True, default=str), []).append(name)
    for names in by_terms.values():
        yield from combinations(names, 2)


# by pair of identical bots: (difference of their points, how they are the same)
Pairs = Mapping[frozenset[str], tuple[float, Sameness]]


def same_files(contest: Contest) -> Iterator[list[str]]:
    identities = bots_by_name(contest, Path())
    by_identity: dict[str, list[str]] = {}
    for name, bot in contest.playing.items():
        mark = identities[name].identity if bot.content_hash else f"unknown {name}"
        by_identity.setdefault(mark, []).append(name)
    yield from by_identity.values()


def _close_pairs(bots: Mapping[str, BotEntry], played: PlayedGames) -> Pairs:
    close: dict[frozenset[str], tuple[float, Sameness]] = {}
    for one, other in _same_sources(bots):
        if (apart := played.same_source_distance(one, other)) is not None:
            close[frozenset((one, other))] = apart, Sameness.SOURCE
    for one, other in played.candidates():
        pair = frozenset((one, other))
        if pair <= bots.keys() and pair not in close:
            comparison = played.compare(one, other)
            if comparison.is_same_play:
                close[pair] = distance(comparison.points), Sameness.PLAY
    return close


def _joined(marks: Mapping[str, str], close: Pairs) -> list[list[str]]:
    """Group names so that each two in a group are `close`; join the closest first.

    Of pairs that are equally close the `marks` decide, as pseudonyms must give the same groups.
    """
    group_of = {name: [name] for name in marks}
    for pair in sorted(close, key=lambda each: (close[each][0], sorted(marks[b] for b in each))):
        one, other = (group_of[name] for name in pair)
        if one is not other and all(frozenset(each) in close for each in product(one, other)):
            one += other
            group_of |= dict.fromkeys(other, one)
    return list({id(group): group for group in group_of.values()}.values())
