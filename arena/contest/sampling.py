"""A random sample of a contest's games in which every bot occurs, as far as there is room."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from arena.contest.retirement import SettledGame
from arena.contest.schedule import ScheduledGame
from arena.referee import GameRecord

Played = tuple[ScheduledGame, GameRecord]


def played(games: Iterable[SettledGame]) -> Iterator[Played]:
    """Yield the games that count and were played, each key once."""
    seen: set[str] = set()
    for game, record, is_forfeit in games:
        if not is_forfeit and game.key.digest not in seen:
            seen.add(game.key.digest)
            yield game, record


def sample(games: Iterable[Played], size: int | None, seed: int) -> list[Played]:
    """Draw so many games, in the order of their numbers; None for all of them.

    Games of two bots that do not occur yet are drawn first, then those of one, then any.
    """
    drawn = list(games)
    if size is not None:
        random.Random(seed).shuffle(drawn)
        occurring: set[str] = set()
        chosen: list[Played] = []
        for new in (2, 1, 0):
            left: list[Played] = []
            for each in drawn:
                names = {each[0].first, each[0].second} - occurring
                if len(names) >= new and len(chosen) < size:
                    chosen.append(each)
                    occurring |= names
                else:
                    left.append(each)
            drawn = left
        drawn = chosen
    return sorted(drawn, key=lambda each: each[0].number)
