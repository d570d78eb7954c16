"""The grade rules. To add a rule, add a row to GradeRule.

docs/reference/grades.md defines them. In `curve` ties form chains: if the best and the worst bot of
a chain surely differ, it is cut where neighbours differ most, until no group has such ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
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
from arena.statistics.bradley_terry import LEVEL, Floats, Ints, standard_scores

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
LINE = (250.0, 1500.0)  # ratings of LOWEST and TOP for `scale`; `reference` has 1500
DECIDED = 0.95  # likelihood from which `curve` separates two neighbours


class Marks(NamedTuple):
    values: Floats
    """Each bot's grade; those of house players mean nothing."""

    why: Callable[[int], str]
    """Takes a bot's index; returns the reason for its grade, to follow a colon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    needs: tuple[str, ...] = ()
    """House players that must take part."""

    by_shares: bool = False
    """True if the rule grades by scores against these players; all such games must be played."""

    by_rating: bool = False
    """True if the grade is a function of the bot's rating alone."""

    top: float = TOP

    decimals: int = 0
    """Grades are multiples of 10 to the power of minus this number."""

    mark: Callable[[Field], Marks]


class GradeTerms(NamedTuple):
    """A contest's settings for its grade rule."""

    thresholds: Thresholds = LEVELS
    scale: tuple[float, float] = LINE

    decimals: int | None = None
    """None for the rule's own: 1 for `scale`, 0 for the others."""


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

    def grades(self, twice: Ints, decimals: int) -> Floats:
        """Return the grades; `twice` is twice each bot's place, which can be a half."""
        parts = 10**decimals
        between = -(-TOP * parts * twice // (2 * max(self.places, 1))) / parts
        return np.where(self.is_below, LOWEST, np.where(self.is_above, TOP, between))

    def formula(self, place: float, grade: float, decimals: int) -> str:
        if not decimals:
            return f"⌈{TOP} · {place:g}/{self.places}⌉ = {grade:g}"
        return f"⌈{TOP * 10**decimals} · {place:g}/{self.places}⌉ / {10**decimals} = {grade:g}"


def _seed(decimals: int, field: Field) -> Marks:
    ranks = field.ranks
    place = _Scale.of(field, -ranks)
    values = place.grades(2 * place.highest, decimals)

    def why(bot: int) -> str:
        rank = f"rank {ranks[bot]}"
        if place.is_below[bot]:
            return f"{rank} is below {FLOOR}, which has rank {ranks[field.index(FLOOR)]}"
        if place.is_above[bot]:
            return f"{rank} is above {YARDSTICK}, which has rank {ranks[field.index(YARDSTICK)]}"
        m, count = place.places, place.highest[bot]
        return (
            f"{rank}; of the {counted(m, 'bot')} between {FLOOR} and {YARDSTICK} it is at "
            f"least as good as {count} (itself included): "
            f"{place.formula(count, values[bot], decimals)}"
        )

    return Marks(values, why)


def _curve(decimals: int, field: Field) -> Marks:
    place = _Scale.of(field, _groups(field))
    values = place.grades(place.lowest + place.highest, decimals)

    def why(bot: int) -> str:
        rating = f"rating {rounded_rating(float(field.ratings.elo[bot]))}"
        if place.is_below[bot]:
            return f"{rating} is below {FLOOR} and all bots tied with it"
        if place.is_above[bot]:
            return f"{rating} is above {YARDSTICK} and all bots tied with it"
        low, high, m = place.lowest[bot], place.highest[bot], place.places
        formula = place.formula((low + high) / 2, values[bot], decimals)
        if low == high:
            return f"{rating} is place {low} of {m} from the bottom, without a tie: {formula}"
        return (
            f"{rating} has places {low} to {high} of {m} from the bottom in a tie, as the best of "
            f"these bots is not surely better than the worst; the middle gives {formula}"
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


def seed(decimals: int = 0) -> Rule:
    return Rule(needs=(FLOOR, YARDSTICK), decimals=decimals, mark=partial(_seed, decimals))


def curve(decimals: int = 0) -> Rule:
    return Rule(decimals=decimals, mark=partial(_curve, decimals))


def scale(line: tuple[float, float] = LINE, decimals: int = 1) -> Rule:
    low, high = line
    parts = 10**decimals

    def mark(field: Field) -> Marks:
        ratings = field.ratings.elo.round(1).round()  # as printed, so that anyone can repeat it
        exact = TOP * (ratings - low) / (high - low)
        rounded = np.floor(exact * parts + 0.5 + 1e-9) / parts
        values = rounded.clip(LOWEST, TOP)

        def why(bot: int) -> str:
            rating = f"{ratings[bot]:.0f}"
            if ratings[bot] < low:
                return f"rating {rating} is below {low:g}, where grade {LOWEST} ends"
            if ratings[bot] > high:
                return f"rating {rating} is above {high:g}, where grade {TOP} begins"
            return (
                f"rating {rating} is on the line from {low:g} (grade {LOWEST}) to {high:g} "
                f"(grade {TOP}): {TOP} · ({rating} − {low:g}) / {high - low:g} = "
                f"{exact[bot]:.{decimals + 2}f}, rounded {values[bot]:.{decimals}f}"
            )

        return Marks(values, why)

    return Rule(needs=(YARDSTICK,), by_rating=True, decimals=decimals, mark=mark)


def levels(thresholds: Thresholds, decimals: int = 0) -> Rule:
    players = tuple(dict.fromkeys(name for needed in thresholds.values() for name in needed))

    def mark(field: Field) -> Marks:
        shares = {player: field.shares(player) for player in players}
        reached = np.zeros(len(field.bots))
        for grade, needed in thresholds.items():
            met = [shares[player] >= share for player, share in needed.items()]
            reached[np.logical_and.reduce(met)] = grade
        values = (reached + _way(thresholds, shares, reached, decimals)).round(decimals)

        def why(bot: int) -> str:
            own = {player: float(share[bot]) for player, share in shares.items()}
            way = f"{values[bot]:.{decimals}f}" if values[bot] > reached[bot] else ""
            return _clauses(thresholds, own, int(reached[bot]), way)

        return Marks(values, why)

    return Rule(needs=players, by_shares=True, top=max(thresholds), decimals=decimals, mark=mark)


def _way(
    thresholds: Thresholds, shares: Mapping[str, Floats], reached: Floats, decimals: int
) -> Floats:
    """Return what each bot gets for its way to the next grade: the least of all players' parts."""
    way = np.zeros(len(reached))
    for low, high in pairwise((LOWEST, *thresholds)) if decimals else ():
        less, parts = thresholds.get(low, {}), np.full(len(reached), 1.0)
        for player, needed in thresholds[high].items():
            start = less.get(player, 0.0)
            if needed > start:
                own = np.nan_to_num(shares[player])  # without games 0
                parts = np.minimum(parts, (own - start) / (needed - start))
        met = (reached == low) & (parts > 0)
        gained = np.floor((high - low) * parts * 10**decimals + 1e-9) / 10**decimals
        way = np.where(met, gained, way)
    return way


def _clauses(thresholds: Thresholds, own: Mapping[str, float], reached: int, way: str) -> str:
    """Return the reason for a grade; `way` is the grade with the way to the next one, or ""."""
    has = {
        player: "no game" if np.isnan(share) else _percent(share) for player, share in own.items()
    }
    met = [
        f"{has[player]} against {player} ({_percent(share)} needed)"
        for player, share in thresholds.get(reached, {}).items()
    ]
    clauses = [f"it scored {listed(met)}"] if met else []
    above = next((grade for grade in thresholds if grade > reached), None)
    if above is not None:
        missing = [
            f"{_percent(share)} against {player} (it has {has[player]})"
            for player, share in thresholds[above].items()
            if not own[player] >= share
        ]
        clauses.append(f"grade {above} needs {listed(missing)}")
    if way:
        clauses.append(f"its part of the way from {reached} to {above} makes {way}")
    return "; ".join(clauses)


def _percent(share: float) -> str:
    """Format a share, rounded down so that a missed threshold does not look reached."""
    return f"{floor(round(share * 1000, 6)) / 10:g} %"


class GradeRule(StrEnum):
    """The grade rules, as contest files name them."""

    words: str
    """The rule's description in a report's settings."""

    rule: Callable[[GradeTerms], Rule] | None
    """Takes a contest's settings and returns the rule; None for `auto` and `none`."""

    def __new__(
        cls, name: str, words: str = "", rule: Callable[[GradeTerms], Rule] | None = None
    ) -> GradeRule:
        row = str.__new__(cls, name)
        row._value_, row.words, row.rule = name, words, rule
        return row

    AUTO = "auto"
    """See `Grading.rule`."""

    NONE = "none", "none"
    SEED = (
        "seed",
        "seed: ranks between random and reference",
        lambda terms: seed(terms.decimals or 0),
    )
    LEVELS = (
        "levels",
        "levels: the share of points against house players",
        lambda terms: levels(terms.thresholds, terms.decimals or 0),
    )
    CURVE = (
        "curve",
        "curve: ratings, with ties where they are too close to tell",
        lambda terms: curve(terms.decimals or 0),
    )
    SCALE = (
        "scale",
        "scale: ratings on a line from grade 0 to grade 10",
        lambda terms: scale(terms.scale, 1 if terms.decimals is None else terms.decimals),
    )
