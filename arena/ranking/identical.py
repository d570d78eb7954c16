"""Bots that are the same: they share a rank, a rating and a grade.

Three things show it: the same files, sources that differ in what changes no game, and the same play
in every game. Nobody is joined with another whose results show that they are not the same. Each bot
of a group is compared with every other: else a row of copies, each a little worse than the last,
would lead from the best bot to any other.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.contest import BotEntry, Contest, SettledGame
from arena.contest.entries import seated
from arena.contest.game_index import GameIndex
from arena.ranking.games import games_frame
from arena.ranking.same_play import ENOUGH_GAMES, PlayedGames, alike
from arena.referee import GameRecord, Verdict
from arena.statistics.evidence import Ints


class Sameness(StrEnum):
    """What shows that bots are the same, the strongest first."""

    FILES = "the same files"
    """Same content, same entry point, same options: their games have the same keys."""

    SOURCE = "the same but for comments, layout and names"
    """The same `likeness`, see there, and the same options."""

    PLAY = "the same move in every position they were both asked in"
    """See `Comparison`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Bots that are the same."""

    bots: tuple[str, ...]
    """Their names, in the order of the roster."""

    sameness: Sameness
    """What shows it of all of them; of some it may be more."""


def identical_bots(games: pd.DataFrame, contest: Contest) -> tuple[Group, ...]:
    """Return the groups of bots that are the same; `games` are as from `games_frame`."""
    bots = contest.playing
    played = PlayedGames(games)
    # by the bot whose games stand for those with the same files: one that has played
    files = {
        next(filter(played.has_games, names), names[0]): names for names in same_files(contest)
    }
    close = _close_pairs({name: bot for name, bot in bots.items() if name in files}, played)
    place = {name: number for number, name in enumerate(bots)}
    groups = []
    for players in _joined(files, close):
        names = [name for player in players for name in files[player]]
        shown = [close[pair][1] for pair in map(frozenset, combinations(players, 2))]
        sameness = max(shown, key=list(Sameness).index, default=Sameness.FILES)
        if len(names) > 1:
            groups.append(
                Group(bots=tuple(sorted(names, key=place.__getitem__)), sameness=sameness)
            )
    return tuple(sorted(groups, key=lambda group: place[group.bots[0]]))


def representatives(groups: Iterable[Group]) -> dict[str, str]:
    """Return for each bot of these groups the first that it is the same as; that may be itself."""
    return {bot: group.bots[0] for group in groups for bot in group.bots}


def others_of(groups: Iterable[Group]) -> dict[str, tuple[str, ...]]:
    """Return for each bot of these groups the others of its group."""
    return {
        bot: tuple(other for other in group.bots if other != bot)
        for group in groups
        for bot in group.bots
    }


def _likeness(bot: BotEntry) -> str:
    """Return a value that bots with the same sources and options share; empty if nobody knows."""
    point = bot.entry_point
    if not bot.likeness:
        return ""
    # the search function goes by a name, which may differ
    terms = (bot.likeness, point.interface, dict(point.options), point.node_function is None)
    return json.dumps(terms, sort_keys=True, default=str)


def same_sources(contest: Contest) -> Iterator[tuple[str, str]]:
    """Yield pairs of bots with other files whose sources make them the same, if games agree.

    Of bots with the same files the first is named.
    """
    yield from _alike({names[0]: contest.bots[names[0]] for names in same_files(contest)})


def _alike(bots: Mapping[str, BotEntry]) -> Iterator[tuple[str, str]]:
    """Yield pairs of bots with the same likeness and options."""
    by_mark: dict[str, list[str]] = {}
    for name, bot in bots.items():
        if mark := _likeness(bot):
            by_mark.setdefault(mark, []).append(name)
    for names in by_mark.values():
        yield from combinations(names, 2)


Pairs = Mapping[frozenset[str], tuple[float, Sameness]]
"""Two bots that are the same, by how many points their results differ, and what shows it."""


def same_files(contest: Contest) -> Iterator[list[str]]:
    """Yield the names of bots with the same files; of most that is one."""
    identities = seated(contest, Path())
    by_identity: dict[str, list[str]] = {}
    for name, bot in contest.playing.items():
        mark = identities[name].identity if bot.content_hash else f"unknown {name}"
        by_identity.setdefault(mark, []).append(name)
    yield from by_identity.values()


def _close_pairs(bots: Mapping[str, BotEntry], played: PlayedGames) -> Pairs:
    close: dict[frozenset[str], tuple[float, Sameness]] = {}
    for one, other in _alike(bots):
        comparison = played.compare(one, other)
        if played.is_same_source(comparison, one, other):
            close[frozenset((one, other))] = comparison.distance, Sameness.SOURCE
    for one, other in played.candidates():
        pair = frozenset((one, other))
        if pair <= bots.keys() and pair not in close:
            comparison = played.compare(one, other)
            if comparison.is_same_play:
                close[pair] = comparison.distance, Sameness.PLAY
    return close


def _joined(names: Iterable[str], close: Pairs) -> list[list[str]]:
    """Return names in groups in which each is close to every other, the closest joined first.

    So one that is close to some of a group only stays outside, and leaves the group as it is.
    """
    group_of = {name: [name] for name in names}
    for pair in sorted(close, key=lambda pair: (close[pair][0], sorted(pair))):
        one, other = (group_of[name] for name in sorted(pair))
        if one is not other and all(frozenset(each) in close for each in product(one, other)):
            one += other
            group_of |= dict.fromkeys(other, one)
    return list({id(group): group for group in group_of.values()}.values())


VERDICTS = tuple(Verdict)


class SameSoFar:
    """Finds the bots that are the same in a contest under way, without a frame of all games.

    The moves of the games are kept in some forty bytes each. A look at the first moves alone clears
    almost every bot; `identical_bots` compares the games of those that are left.
    """

    def __init__(self, contest: Contest, index: GameIndex) -> None:
        """Begin without a game; `index` has the games of the contest."""
        self._contest, self._index = contest, index
        self._files = list(same_files(contest))
        self._like = frozenset(chain.from_iterable(same_sources(contest)))
        first = {name: names[0] for names in self._files for name in names}
        number = {name: place for place, name in enumerate(index.names)}
        players = [number.get(first.get(name, name), place) for name, place in number.items()]
        self._players = np.array(players, np.int64)
        """The number of a bot with the same files, for each bot of the index."""
        self._opening_codes: dict[bytes, int] = {}
        # of each game that was played, as it came
        self._keys, self._openings = array("i"), array("i")
        self._begun, self._plies, self._ends = array("H"), array("H"), array("B")
        self._moves = bytearray()

    def add(self, key: int, record: GameRecord) -> None:
        """Take note of a game that was played, by the number of its key."""
        moves = bytes(record.columns)
        opening = moves[: record.opening_plies]
        self._keys.append(key)
        self._openings.append(self._opening_codes.setdefault(opening, len(self._opening_codes)))
        self._begun.append(record.opening_plies)
        self._plies.append(len(moves))
        winner = 2 if record.winner is None else record.winner
        self._ends.append(3 * VERDICTS.index(record.verdict) + winner)
        self._moves += moves

    def groups(self, is_forfeit: NDArray[np.bool_]) -> tuple[Group, ...]:
        """Return the groups of bots that are the same; `is_forfeit` is by the games' places."""
        told = self._told(is_forfeit)
        suspects = self._like | self._played_alike(told)
        named = [names for names in self._files if len(names) > 1 or names[0] in suspects]
        if not named:
            return ()
        some = frozenset(chain.from_iterable(named))
        bots = {name: bot for name, bot in self._contest.bots.items() if name in some}
        contest = replace(self._contest, bots=bots)
        looked_at = frozenset(chain.from_iterable(each for each in named if each[0] in suspects))
        return identical_bots(self._frame(looked_at, told), contest)

    def _told(self, is_forfeit: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the places of the games that tell, and when each of them came."""
        came = np.full(len(self._index.firsts), -1, np.int64)
        came[np.array(self._keys, np.int64)] = np.arange(len(self._keys))
        came = came[self._index.keys]
        places = np.flatnonzero((came >= 0) & ~is_forfeit)
        return places, came[places]

    def _played_alike(self, told: tuple[Ints, Ints]) -> frozenset[str]:
        """Return the bots that another plays like, as far as numbers and first moves tell."""
        places, came = told
        names = self._index.names
        players = self._players[self._index.sides[places]]
        has_enough = np.bincount(players.ravel(), minlength=len(names)) >= ENOUGH_GAMES
        if has_enough.sum() < 2:
            return frozenset()
        begun, plies = (np.array(each, np.int64)[came] for each in (self._begun, self._plies))
        goes_on = plies > begun
        came, begun, players = came[goes_on], begun[goes_on], players[goes_on]
        movers = players[np.arange(len(came)), begun % 2]
        openings = np.array(self._openings, np.int64)[came]
        moves = np.array(self._moves, np.int64)[self._starts()[came] + begun]
        pairs = alike(movers, openings, moves, len(names), len(self._opening_codes))
        found = {bot for one, others in pairs for bot in (one, *others.tolist())}
        return frozenset(names[bot] for bot in found if has_enough[bot])

    def _starts(self) -> Ints:
        plies = np.array(self._plies, np.int64)
        return plies.cumsum() - plies

    def _frame(self, bots: frozenset[str], told: tuple[Ints, Ints]) -> pd.DataFrame:
        """Return the games of these bots as `games_frame` has them, without times."""
        starts, is_theirs = self._starts(), self._index.are_with(bots)

        def settled() -> Iterator[SettledGame]:
            for place, came in zip(*(each.tolist() for each in told), strict=True):
                if is_theirs[place]:
                    verdict, winner = divmod(self._ends[came], 3)
                    start = int(starts[came])
                    record = GameRecord(
                        key="",
                        columns=tuple(self._moves[start : start + self._plies[came]]),
                        opening_plies=self._begun[came],
                        charged_ns=(),
                        nodes=(),
                        winner=None if winner == 2 else winner,
                        verdict=VERDICTS[verdict],
                        reason="",
                    )
                    yield SettledGame(self._index.games[place], record, False)

        return games_frame(settled())
