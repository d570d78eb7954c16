"""The games that a contest consists of: who meets whom, and what a game of it is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from arena.contest.config import Contest, Format
from arena.referee import GameKey


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledGame:
    """A game with its place in the contest."""

    number: int
    """Its number, from 1."""

    pairing: int
    """The number of its pairing, from 1."""

    opening: int
    """The number of its opening, from 1."""

    first: str
    """Name of the bot that plays as player 0, who moves first from the empty board."""

    second: str
    """Name of the bot that plays as player 1."""

    key: GameKey
    """The game's identity, wherever it stands in a contest."""


def pairings(contest: Contest) -> list[tuple[str, str]]:
    """Return who meets whom, in rounds, so that all bots finish games at about the same pace."""
    playing = contest.playing
    place = {name: index for index, name in enumerate(playing)}
    pairs = sorted(
        combinations(playing, 2),
        key=lambda pair: (place[pair[0]] + place[pair[1]]) % len(place),
    )
    if contest.schedule.format is Format.ROUND_ROBIN:
        return pairs
    return [pair for pair in pairs if any(playing[name].house for name in pair)]
