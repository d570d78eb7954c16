"""Grades by the rule of seed 000: against a random player and a reference player."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

TOP = 10


def grades(ranks: Mapping[str, int], floor: str, yardstick: str) -> dict[str, int]:
    """Points for every bot but the two house players, from ranks (1 is best, ties share).

    Ranked below `floor`: 0. Above `yardstick`: 10. The m others, from the bottom
    i = 0 … m-1: ceil(10 · (i + 1) / m), where bots that share a rank share the best of theirs.
    Empty if either house player is missing.
    """
    if floor not in ranks or yardstick not in ranks:
        return {}
    students = {bot: rank for bot, rank in ranks.items() if bot not in (floor, yardstick)}
    graded = {}
    between = []
    for bot, rank in students.items():
        if rank > ranks[floor]:
            graded[bot] = 0
        elif rank < ranks[yardstick]:
            graded[bot] = TOP
        else:
            between.append(bot)
    for bot in between:
        as_good = sum(students[other] >= students[bot] for other in between)
        graded[bot] = ceil(TOP * as_good / len(between))
    return graded
