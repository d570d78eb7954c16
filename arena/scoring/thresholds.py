"""Thresholds of the grade rule `levels`, as a contest file has them.

A grade has for some house players the share of points that is needed against them, and all must be
reached. A better grade asks for more: for nothing less of any player, and for more of at least one.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from types import MappingProxyType
from typing import Any

from arena.errors import SettingError
from arena.naming import PLAYERS

Thresholds = Mapping[int, Mapping[str, float]]
"""For each grade, in ascending order, the shares of points needed, by house players."""

LEVELS: Thresholds = MappingProxyType(
    {
        1: {"random": 0.5},
        2: {"random": 0.75},
        3: {"random": 0.9},
        4: {"random": 0.9, "greedy": 0.1},
        5: {"random": 0.9, "greedy": 0.25},
        6: {"random": 0.9, "greedy": 0.5},
        7: {"random": 0.9, "greedy": 0.75},
        8: {"random": 0.9, "greedy": 0.75, "novice": 0.4},
        9: {"random": 0.9, "greedy": 0.75, "novice": 0.65},
        10: {"random": 0.9, "greedy": 0.75, "novice": 0.65, "reference": 0.4, "master": 0.25},
    }
)
"""Those of a contest whose file has none. The house players have great distances: on 8×8 and on 6×7
each scores 82 to 98 % against the next, but `master` 57 to 66 % against `reference`."""

SECTION = "levels"
"""Key of the thresholds in a contest file's table of grades."""

BEST = 100
"""The highest grade that a file can have."""


def read_thresholds(levels: Mapping[str, Any]) -> Thresholds:
    """Return the thresholds that a contest file has, or LEVELS if it has none.

    Raises SettingError for what they cannot be.
    """
    if not levels:
        return LEVELS
    grades = sorted((_grade(key, levels[key]), key) for key in levels)
    read = {grade: _needed(key, levels[key]) for grade, key in grades}
    for (_, low), (grade, high) in combinations(grades, 2):
        _ask_for_more(int(low), read[int(low)], high, read[grade])
    return read


def _grade(key: str, needed: object) -> int:
    """Return the grade that a key names."""
    if not (key.isascii() and key.isdigit() and 1 <= int(key) <= BEST and str(int(key)) == key):
        raise _error(key, needed, f"a grade, a whole number from 1 to {BEST}, in place of {key}")
    return int(key)


def _needed(key: str, needed: object) -> Mapping[str, float]:
    """Return the shares that a grade needs."""
    if not isinstance(needed, Mapping) or not needed:
        raise _error(key, needed, "shares against house players, like { greedy = 0.5 }")
    for player, share in needed.items():
        if isinstance(share, Mapping):  # TOML reads 5.5 as the key 5 of the table 5
            raise _error(key, needed, f"a grade, a whole number, in place of {key}.{player}")
        if player not in PLAYERS:
            raise _error(key, needed, f"house players ({', '.join(PLAYERS)}), not {player}")
        if type(share) not in (int, float) or not 0 < share <= 1:
            raise _error(key, needed, f"a share over 0 and up to 1 for {player}, like 0.5")
    return {player: float(share) for player, share in needed.items()}


def _ask_for_more(low: int, less: Mapping[str, float], key: str, more: Mapping[str, float]) -> None:
    """Refuse a grade that does not ask for more than a lower one."""
    for player, share in less.items():
        if player in more and more[player] < share:
            raise _error(key, more, f"{player} = {share:g} at least, as grade {low} needs that")
    if all(share <= less.get(player, 0) for player, share in more.items()):
        raise _error(key, more, f"more than for grade {low}, which nobody would get")


def _error(key: str, needed: object, expected: str) -> SettingError:
    return SettingError(key, _written(needed), expected, within=SECTION)


def _written(value: object) -> str:
    """Write a value as in a contest file."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_written(each)}" for key, each in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
