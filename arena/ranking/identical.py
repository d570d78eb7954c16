"""Bots that are the same: they share a rank, a rating and a grade.

Three things show it: the same files, sources that differ in what changes no game, and the same play
in every game. Nobody is joined with another whose results show that they are not the same, so
that nobody gains or loses by a copy that was made to play differently.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path

import pandas as pd

from arena.contest import BotEntry, Contest
from arena.contest.entries import seated
from arena.ranking.same_play import PlayedGames, is_chance


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
    joined = _Joined(bots)
    identities = {name: bot.identity for name, bot in seated(contest, Path()).items()}
    for one, other in _alike({name: identities[name] for name in bots if bots[name].content_hash}):
        joined.join(one, other, Sameness.FILES)
    played = PlayedGames(games)
    for one, other in _alike({name: _likeness(bot) for name, bot in bots.items()}):
        if joined.first(one) != joined.first(other) and is_chance(*played.difference(one, other)):
            joined.join(one, other, Sameness.SOURCE)
    for one, other in played.candidates():
        if joined.first(one) != joined.first(other) and played.compare(one, other).is_same_play:
            joined.join(one, other, Sameness.PLAY)
    return joined.groups()


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


def _alike(marks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of names with the same mark, unless that is empty."""
    by_mark: dict[str, list[str]] = {}
    for name, mark in marks.items():
        if mark:
            by_mark.setdefault(mark, []).append(name)
    for names in by_mark.values():
        yield from combinations(names, 2)


class _Joined:
    """Names that are put into groups, pair by pair."""

    def __init__(self, names: Iterable[str]) -> None:
        self._first = {name: name for name in names}
        self._sameness: dict[str, Sameness] = {}

    def first(self, name: str) -> str:
        """Return the name by which a name's group goes."""
        return self._first[name]

    def join(self, one: str, other: str, sameness: Sameness) -> None:
        """Put two names into one group; the weakest sameness, which comes last, holds for all."""
        keep, gone = self._first[one], self._first[other]
        for name, first in self._first.items():
            if first == gone:
                self._first[name] = keep
        self._sameness[keep] = sameness

    def groups(self) -> tuple[Group, ...]:
        """Return the groups of two names and more."""
        members: dict[str, list[str]] = {}
        for name, first in self._first.items():
            members.setdefault(first, []).append(name)
        return tuple(
            Group(bots=tuple(names), sameness=self._sameness[first])
            for first, names in members.items()
            if len(names) > 1
        )
