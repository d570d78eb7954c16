"""Grades: one function from the standings of a contest to points for its bots.

Another rule is another function of the same form, which `grades` then calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

import pandas as pd

from arena.contest import Contest
from arena.intake import FLOOR, YARDSTICK

TOP = 10
"""The best grade."""


def grades(standings: pd.DataFrame, contest: Contest) -> dict[str, int]:
    """Grade the bots of a contest, by name; house players get none.

    `standings` are those of all its games. Empty if it was played without one of the two house
    players that grades are measured by.
    """
    house = {name for name, bot in contest.playing.items() if bot.house}
    if not house >= {FLOOR, YARDSTICK}:
        return {}
    ranks = {str(bot): int(rank) for bot, rank in standings["rank"].items()}
    students = {bot: rank for bot, rank in ranks.items() if bot not in house}
    return between(students, ranks[FLOOR], ranks[YARDSTICK])


def between(ranks: Mapping[str, int], floor: int, yardstick: int) -> dict[str, int]:
    """Grade bots by their ranks (1 is best, ties share) between those of two house players.

    Ranked below `floor`: 0. Above `yardstick`: 10. The m others, from the bottom
    i = 0 … m-1: ceil(10 · (i + 1) / m), where bots that share a rank share the best of theirs.
    """
    graded = {}
    middle = []
    for bot, rank in ranks.items():
        if rank > floor:
            graded[bot] = 0
        elif rank < yardstick:
            graded[bot] = TOP
        else:
            middle.append(bot)
    for bot in middle:
        as_good = sum(ranks[other] >= ranks[bot] for other in middle)
        graded[bot] = ceil(TOP * as_good / len(middle))
    return graded
