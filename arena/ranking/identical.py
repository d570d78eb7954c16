"""Bots that are the same: they share a rank, a rating and a grade.

Three things show it: the same files, sources that differ in what changes no game, and the same play
in every game. Nobody is joined with another whose results show that they are not the same. Each bot
of a group is compared with every other: else a row of copies, each a little worse than the last,
would lead from the best bot to any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product
from pathlib import Path

import pandas as pd

from arena.contest import BotEntry, Contest
from arena.contest.entries import seated
from arena.ranking.same_play import PlayedGames


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
