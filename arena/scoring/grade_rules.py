"""The grade rules. To add a rule, add a row to GradeRule.

`seed` is the rule of the 8×8 course. Bots ranked below `random` get 0, those above `reference` 10.
The m others have places i = 1 … m from the bottom, and get ⌈10 · i / m⌉. Bots with the same rank
get the best of their places.

`levels` grades by shares of points against house players. Each grade has thresholds for some house
players; a bot gets the highest grade of which it reaches all thresholds, or 0. Compared with a
lower grade, a grade needs at least as much against every player, and more against one.

`curve` grades by rating. A bot is tied with the next one unless one of them is better with the
likelihood DECIDED. So ties form chains. If the best and the worst bot of a chain surely differ (95
% interval of the difference), the chain is cut where neighbours differ most, until no group has
such ends. The scale is that of `seed`, but all bots of a group get the middle of their places. A
bot tied with `random` or `reference` counts as between them. Without these two, all bots share the
scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, pairwise
from math import floor
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from arena.common.errors import SettingError
from arena.common.names import FLOOR, PLAYERS, YARDSTICK
from arena.common.text import counted, listed, rounded_rating
from arena.scoring.field import Bools, Field
from arena.statistics.bradley_terry import LEVEL, Ints, standard_scores

# For each grade, ascending: the shares of points needed, by house player.
Thresholds = Mapping[int, Mapping[str, float]]

# The default thresholds. House players differ much: on 8×8 and 6×7 each scores 82 to 98 % against
# the next weaker one, but `master` only 57 to 66 % against `reference`.
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

SECTION = "levels"  # key of the thresholds in a contest file's [grades]
BEST = 100  # highest grade in a file


def read_thresholds(levels: Mapping[str, Any]) -> Thresholds:
    """Return a contest file's thresholds; LEVELS if it has none. Raises SettingError."""
    if not levels:
        return LEVELS
    grades = sorted((_grade(key, levels[key]), key) for key in levels)
    read = {grade: _needed(key, levels[key]) for grade, key in grades}
    for (_, low), (grade, high) in combinations(grades, 2):
        _ask_for_more(int(low), read[int(low)], high, read[grade])
    return read


def _grade(key: str, needed: object) -> int:
    if not (key.isascii() and key.isdigit() and 1 <= int(key) <= BEST and str(int(key)) == key):
        raise _error(key, needed, f"a whole number from 1 to {BEST} as the grade, not {key}")
    return int(key)


def _needed(key: str, needed: object) -> Mapping[str, float]:
    if not isinstance(needed, Mapping) or not needed:
        raise _error(key, needed, "shares against house players, like { greedy = 0.5 }")
    for player, share in needed.items():
        if isinstance(share, Mapping):  # TOML reads the key 5.5 as key 5 in table 5
            raise _error(key, needed, f"a whole number as the grade, not {key}.{player}")
        if player not in PLAYERS:
            raise _error(key, needed, f"house players ({', '.join(PLAYERS)}), not {player}")
        if type(share) not in (int, float) or not 0 < share <= 1:
            raise _error(key, needed, f"a share over 0 and up to 1 for {player}, like 0.5")
    return {player: float(share) for player, share in needed.items()}


def _ask_for_more(low: int, less: Mapping[str, float], key: str, more: Mapping[str, float]) -> None:
    """Raise SettingError if grade `key` does not need more than the lower grade `low`."""
    for player, share in less.items():
        if player in more and more[player] < share:
            raise _error(key, more, f"{player} = {share:g} at least, as grade {low} needs that")
    if all(share <= less.get(player, 0) for player, share in more.items()):
        raise _error(key, more, f"more than for grade {low}, or nobody would get that grade")


def _error(key: str, needed: object, expected: str) -> SettingError:
    return SettingError(key, _written(needed), expected, within=SECTION)


def _written(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_written(each)}" for key, each in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


TOP = 10  # best grade of rules with a fixed scale
LOWEST = 0  # worst grade of all rules
DECIDED = 0.95  # likelihood from which `curve` separates two neighbours


class Marks(NamedTuple):
    values: Ints
    """Each bot's grade; those of house players mean nothing."""

    why: Callable[[int], str]
    """Takes a bot's index; returns the reason for its grade, to follow a colon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    needs: tuple[str, ...] = ()
    """House players that must take part."""

    by_shares: bool = False
    """True if the rule grades by scores against these players; all such games must be played."""

    top: float = TOP
    mark: Callable[[Field], Marks]


class _Scale(NamedTuple):
    """The scale: 0 below `random`, TOP above `reference`, between them ⌈TOP · p/m⌉.

    p is a bot's place from the bottom, m the number of places. If `random` or `reference` does not
    play, no bot is below or above it.
    """

    is_below: Bools
    is_above: Bools
    lowest: Ints  # lowest place of each bot's level, from 1 at the bottom
    highest: Ints
    places: int  # the number m

    @classmethod
    def of(cls, field: Field, levels: Ints) -> _Scale:
        nobody = np.zeros(len(levels), dtype=bool)
        is_below = levels < levels[field.index(FLOOR)] if FLOOR in field.house else nobody
        is_above = levels > levels[field.index(YARDSTICK)] if YARDSTICK in field.house else nobody
        between = np.sort(levels[field.students & ~is_below & ~is_above])
        return cls(
            is_below,
            is_above,
            lowest=np.searchsorted(between, levels, side="left") + 1,
            highest=np.searchsorted(between, levels, side="right"),
            places=len(between),
        )

    def grades(self, twice: Ints) -> Ints:
        """Return the grades; `twice` is twice each bot's place, which can be a half."""
        between = -(-TOP * twice // (2 * max(self.places, 1)))
        return np.where(self.is_below, 0, np.where(self.is_above, TOP, between))


def _seed(field: Field) -> Marks:
    ranks = field.ranks
    place = _Scale.of(field, -ranks)
    values = place.grades(2 * place.highest)

    def why(bot: int) -> str:
        rank = f"rank {ranks[bot]}"
        if place.is_below[bot]:
            return f"{rank} is below {FLOOR}, which has rank {ranks[field.index(FLOOR)]}"
        if place.is_above[bot]:
            return f"{rank} is above {YARDSTICK}, which has rank {ranks[field.index(YARDSTICK)]}"
        m, count = place.places, place.highest[bot]
        return (
            f"{rank}; of the {counted(m, 'bot')} between {FLOOR} and {YARDSTICK} it is at "
            f"least as good as {count} (itself included): ⌈{TOP} · {count}/{m}⌉ = {values[bot]}"
        )

    return Marks(values, why)


def _curve(field: Field) -> Marks:
    place = _Scale.of(field, _groups(field))
    values = place.grades(place.lowest + place.highest)

    def why(bot: int) -> str:
        rating = f"rating {rounded_rating(float(field.ratings.elo[bot]))}"
        if place.is_below[bot]:
            return f"{rating} is below {FLOOR} and all bots tied with it"
        if place.is_above[bot]:
            return f"{rating} is above {YARDSTICK} and all bots tied with it"
        low, high, m = place.lowest[bot], place.highest[bot], place.places
        if low == high:
            return (
                f"{rating} is place {low} of {m} from the bottom, without a tie: "
                f"⌈{TOP} · {low}/{m}⌉ = {values[bot]}"
            )
        return (
            f"{rating} has places {low} to {high} of {m} from the bottom in a tie, as the best of "
            "these bots is not surely better than the worst; the middle gives "
            f"⌈{TOP} · {(low + high) / 2:g}/{m}⌉ = {values[bot]}"
        )

    return Marks(values, why)


def _groups(field: Field) -> Ints:
    """Return each bot's group of tied bots, 0 for the lowest; 0 for other house players."""
    takes_part = field.students | field.mask((FLOOR, YARDSTICK))
    ratings, elo = field.ratings, field.ratings.elo
    order = np.flatnonzero(takes_part)
    order = order[np.lexsort((field.groups[order], elo[order]))]
    steps = standard_scores(ratings, order[1:], order[:-1])
    is_boundary = steps >= NormalDist().inv_cdf(DECIDED)
    surely = NormalDist().inv_cdf((1 + LEVEL) / 2)
    ends = [0, *(np.flatnonzero(is_boundary) + 1).tolist(), len(order)]
    to_cut = list(pairwise(ends))
    while to_cut:
        start, stop = to_cut.pop()
        if stop - start > 1 and standard_scores(ratings, order[stop - 1], order[start]) > surely:
            cut = start + 1 + int(steps[start : stop - 1].argmax())
            is_boundary[cut - 1] = True
            to_cut += [(start, cut), (cut, stop)]
    groups = np.zeros(len(elo), dtype=np.int64)
    groups[order[1:]] = np.cumsum(is_boundary)
    return groups


SEED = Rule(needs=(FLOOR, YARDSTICK), mark=_seed)
CURVE = Rule(mark=_curve)


def levels(thresholds: Thresholds) -> Rule:
    players = tuple(dict.fromkeys(name for needed in thresholds.values() for name in needed))

    def mark(field: Field) -> Marks:
        shares = {player: field.shares(player) for player in players}
        values = np.zeros(len(field.bots), dtype=np.int64)
        for grade, needed in thresholds.items():
            met = [shares[player] >= share for player, share in needed.items()]
            values[np.logical_and.reduce(met)] = grade

        def why(bot: int) -> str:
            own = {
                player: "no game" if np.isnan(share[bot]) else _percent(share[bot])
                for player, share in shares.items()
            }
            reached = [
                f"{own[player]} against {player} ({_percent(share)} needed)"
                for player, share in thresholds.get(int(values[bot]), {}).items()
            ]
            clauses = [f"it scored {listed(reached)}"] if reached else []
            above = next((grade for grade in thresholds if grade > values[bot]), None)
            if above is not None:
                missing = [
                    f"{_percent(share)} against {player} (it has {own[player]})"
                    for player, share in thresholds[above].items()
                    if not shares[player][bot] >= share
                ]
                clauses.append(f"grade {above} needs {listed(missing)}")
            return "; ".join(clauses)

        return Marks(values, why)

    return Rule(needs=players, by_shares=True, top=max(thresholds), mark=mark)


def _percent(share: float) -> str:
    """Format a share, rounded down so that a missed threshold does not look reached."""
    return f"{floor(round(share * 1000, 6)) / 10:g} %"


class GradeRule(StrEnum):
    """The grade rules, as contest files name them."""

    words: str
    """The rule's description in a report's settings."""

    rule: Callable[[Thresholds], Rule] | None
    """Takes a contest's thresholds and returns the rule; None for `auto` and `none`."""

    def __new__(
        cls, name: str, words: str, rule: Callable[[Thresholds], Rule] | None = None
    ) -> GradeRule:
        row = str.__new__(cls, name)
        row._value_, row.words, row.rule = name, words, rule
        return row

    AUTO = "auto", ""
    """`levels` if thresholds are set; else `seed` in a round robin, `none` in a gauntlet."""

    NONE = "none", "none"
    SEED = "seed", "seed: ranks between random and reference", lambda thresholds: SEED
    LEVELS = "levels", "levels: the share of points against house players", levels
    CURVE = (
        "curve",
        "curve: ratings, with ties where they are too close to tell",
        lambda thresholds: CURVE,
    )
