"""The settings of a contest (`contest.toml`), its pairings, and the presets."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from itertools import combinations
from math import inf, isfinite
from types import MappingProxyType
from typing import Any

from arena.common.errors import InputError, SettingError
from arena.common.names import LEVELS, PLAYERS, YARDSTICK, hint_for, one_of
from arena.engine.machine_code import Piece, pieces_of
from arena.game.limits import Limits
from arena.game.record import GameKey
from arena.interfaces import EntryPoint, Overrides
from arena.openings.drawing import read_book
from arena.openings.pool import ALL, block_of, pool_size
from arena.rules import RULESETS, Ruleset
from arena.scoring.grade_rules import LINE, GradeRule, GradeTerms, Rule, Thresholds, read_thresholds
from arena.scoring.tie_breaks import TieBreakName
from arena.settings.known_ratings import spread_evenly


class Format(StrEnum):
    """The pairings of a contest.

    >>> from arena import Format
    >>> Format("gauntlet")
    <Format.GAUNTLET: 'gauntlet'>
    """

    ROUND_ROBIN = "round-robin"

    GAUNTLET = "gauntlet"
    """Bots meet only house players, so the time grows linearly with the number of bots."""


class Forfeits(StrEnum):
    """How games that were lost by a fault count."""

    COUNT = "count"
    """Like other games."""

    APART = "apart"
    """As a loss for the bot at fault, as nothing for its opponent."""


# A package's name; as a word of a pip command it can be neither an option nor a path.
PACKAGE = re.compile(r"[A-Za-z0-9](?:[\w.-]{0,98}[A-Za-z0-9])?", re.ASCII)
USUAL_NODES = 10_000  # Of `reference` in a contest without a budget; its rating is for these.

ALL_SHARED = "all"


def shared_openings_of(value: Any) -> Any:
    """Return a setting of `shared_openings`, with the word "all" as its number."""
    return ALL if value == ALL_SHARED else value


LEAST_HELD = 2  # House players with known ratings that fix a scale.
SEED_BITS = 62  # Integers in TOML have 63 and a sign.


def draw_seed() -> int:
    """Return a seed that no bot can guess.

    A bot's own seed is a hash of the game's key. A bot can know the rest of a key, so it could try
    out small seeds and find its opponent's random numbers.
    """
    return secrets.randbits(SEED_BITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    format: Format = Format.ROUND_ROBIN
    """The format decides which bots meet."""

    openings: int = 10
    """Each pair of bots plays from this number of openings, each with both sides."""

    shared_openings: int = 2
    """Of each pairing's openings, all pairings share the first, the eighth, and so on, up to this
    number. The others are drawn for each pairing. "all": all are shared, as in older contests."""

    seed: int = 1
    """The seed decides the openings and the bots' random numbers. `arena run` draws one."""

    min_plies: int = 8
    """An opening has at least this number of discs."""

    max_plies: int = 14
    """An opening has at most this number of discs."""

    until_settled: float = 0.0
    """The contest ends when each bot is better than the next with this probability; 0 for never."""

    until: datetime | None = None
    """The contest ends at this time; until then the games that tell most are played."""

    retire_after: int = 5
    """A bot is retired after losing this number of games, and at least half of its games, by
    time-outs or by failing to load; 0 for never."""

    with_unloadable: bool = False
    """If true, bots that cannot be loaded play and lose all games; if false, they are left out,
    with the lowest grade. Older contests without this key play them."""

    def __post_init__(self) -> None:
        if not 1 <= self.openings <= 100_000:
            raise SettingError("openings", self.openings, "1 to 100000")
        if not 0 <= self.shared_openings <= ALL:
            raise SettingError("shared_openings", self.shared_openings, 'a number, or "all"')
        if not 0 <= self.seed < 1 << SEED_BITS:
            raise SettingError("seed", self.seed, f"0 to {(1 << SEED_BITS) - 1}")
        if not 0 <= self.min_plies <= self.max_plies:
            raise SettingError(
                "min_plies", self.min_plies, f"0 to max_plies, which is {self.max_plies}"
            )
        if self.until_settled and not 0.5 < self.until_settled < 1:
            raise SettingError(
                "until_settled", self.until_settled, "a likelihood over 0.5 and under 1, or 0"
            )
        if self.until is not None:
            if not 2000 <= self.until.year < 3000:  # others may not exist in another time zone
                raise SettingError("until", self.until, "a date and time in 2000 to 2999")
            if self.until.tzinfo is None:
                object.__setattr__(self, "until", self.until.astimezone())
        if self.retire_after < 0:
            raise SettingError("retire_after", self.retire_after, "a number of faults, 0 for never")

    @property
    def in_rounds(self) -> bool:
        """True if games are chosen by earlier results: bots meet unequally often."""
        return bool(self.until_settled) or self.until is not None

    def seconds_left(self, now: datetime) -> float:
        """Return the seconds to the contest's end; infinite if that is at no given time."""
        return inf if self.until is None else (self.until - now).total_seconds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    forfeits: Forfeits = Forfeits.COUNT
    """This decides how games that were lost by a fault count."""

    tie_breaks: tuple[TieBreakName, ...] = (
        TieBreakName.DIRECT,
        TieBreakName.SONNEBORN_BERGER,
        TieBreakName.FORFEITS,
    )
    """These rules order bots with equal points per game; the first rule is tried first."""

    anchor: str = YARDSTICK
    """This bot has a fixed rating; if it is absent, the mean rating is fixed."""

    anchor_rating: float = 1500.0
    """The anchor, or the mean, has this rating."""

    anchors: Mapping[str, float] = field(default_factory=dict)
    """House players with known ratings, which hold the scale instead of `anchor`. Recorded when a
    contest begins; empty in contests of an older Arena."""

    def __post_init__(self) -> None:
        if len(set(self.tie_breaks)) < len(self.tie_breaks):
            given = [str(name) for name in self.tie_breaks]
            raise SettingError("tie_breaks", given, "each only once")
        if not isfinite(self.anchor_rating):
            raise SettingError("anchor_rating", self.anchor_rating, "a number, like 1500")
        for name, rating in self.anchors.items():
            if name not in PLAYERS:
                hint = hint_for(name, PLAYERS, f"known: {', '.join(PLAYERS)}")
                expected = f"the rating of a house player; {hint}"
                raise SettingError(name, rating, expected, within="anchors")
            if type(rating) not in (int, float) or not isfinite(rating):
                raise SettingError(name, rating, "a rating, like 1500", within="anchors")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grading:
    rule: GradeRule = GradeRule.AUTO
    """`auto` means `levels` if thresholds are set, else `scale` if house players' ratings are
    known, else `seed` in a round robin and `none` in a gauntlet."""

    levels: Mapping[str, Any] = field(default_factory=dict)
    """For the rule `levels`, this gives the share of points against house players that a grade
    requires, like `6 = { greedy = 0.5, random = 0.9 }`. If empty, Arena's thresholds apply."""

    scale: tuple[float, float] = LINE
    """For the rule `scale`, these are the ratings of grade 0 and of grade 10."""

    decimals: int | None = None
    """Grades have 0 or 1 decimals. Without this key, `scale` has 1 and the other rules have 0."""

    freeze: bool = False
    """If true, games of late bots do not affect the grades of others."""

    late_penalty: float = 0.0
    """Late bots without a penalty in the roster lose this number of grade points."""

    def __post_init__(self) -> None:
        read_thresholds(self.levels)
        if len(self.scale) != 2 or not -inf < self.scale[0] < self.scale[1] < inf:
            expected = "the ratings of grade 0 and grade 10, like [250, 1500]"
            raise SettingError("scale", list(self.scale), expected)
        if self.decimals not in (None, 0, 1):
            raise SettingError("decimals", self.decimals, "0 or 1")
        if not 0 <= self.late_penalty < inf:
            raise SettingError("late_penalty", self.late_penalty, "grade points, like 1 or 0.5")

    @property
    def thresholds(self) -> Thresholds:
        return read_thresholds(self.levels)

    @property
    def terms(self) -> GradeTerms:
        return GradeTerms(thresholds=self.thresholds, scale=self.scale, decimals=self.decimals)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    pseudonyms: bool = False
    """If true, students' pages show other bots by pseudonyms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    allow: tuple[str, ...] = ()
    """The course promises these packages, besides those installed with Arena. Others are pointed
    out; none is forbidden."""

    def __post_init__(self) -> None:
        for name in self.allow:
            if not PACKAGE.fullmatch(name):
                raise SettingError("allow", name, 'names of packages, like ["torch", "scipy"]')


@dataclass(frozen=True, slots=True, kw_only=True)
class BotEntry:
    """The instructor sets `overrides`; Arena records the rest."""

    overrides: Overrides = field(default_factory=Overrides)
    entry_point: EntryPoint = field(default_factory=EntryPoint)
    source: str | None = None
    """The bot was read from this file or folder."""

    content_hash: str | None = None
    """This is the digest of the bot's files; its folder in `bots/` has this name."""

    problem: str | None = None
    """If the bot's files show that it cannot play, this is why."""

    refused: str | None = None
    """If the bot does not take part because of its trial, this is why: a sentence without its
    subject."""

    unloadable: bool = False
    """If true, the bot is refused because it cannot be loaded."""

    excluded: str | None = None
    """If the instructor excluded the bot in `excluded.csv`, this is the reason or ""; else None."""

    house: bool = False
    """If true, the bot is a house player, which gets no grade."""

    likeness: str = ""
    """This is equal for bots that play the same, see `Submission`; "" if unknown."""

    place: str = field(default="", compare=False)
    """Start of a message about its settings, like "contest.toml:14: "; empty without a file."""

    @property
    def why_left_out(self) -> str | None:
        """The rest of a sentence: why the bot does not take part; None if it does."""
        if self.excluded is None:
            return self.refused
        reason = f": {self.excluded}" if self.excluded else ""
        return f"was left out by the instructor{reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """All settings of a contest.

    >>> from arena import PRESETS
    >>> PRESETS["max"].rules.goal.value, PRESETS["max"].limits.nodes
    ('most', 10000)
    """

    rules: Ruleset = field(default_factory=Ruleset)
    limits: Limits = field(default_factory=Limits)
    schedule: Schedule = field(default_factory=Schedule)
    ranking: Ranking = field(default_factory=Ranking)
    grades: Grading = field(default_factory=Grading)
    publish: Publishing = field(default_factory=Publishing)
    packages: Packages = field(default_factory=Packages)

    interfaces: Mapping[str, str] = field(default_factory=dict)
    """The instructor's own interfaces: descriptions as JSON, by name."""

    bots: Mapping[str, BotEntry] = field(default_factory=dict)
    """In the order of the roster."""

    @property
    def playing(self) -> dict[str, BotEntry]:
        return {name: bot for name, bot in self.bots.items() if bot.why_left_out is None}

    @property
    def held(self) -> dict[str, float]:
        """House players that play as measured, with their ratings in `anchors`.

        Only `reference` depends on the contest's node budget. Empty if there are fewer than
        LEAST_HELD: `random` alone loses nearly every game, which tells little.
        """
        is_usual = self.limits.nodes in (None, USUAL_NODES)
        held = {
            name: float(self.ranking.anchors[name])
            for name, bot in self.playing.items()
            if name in self.ranking.anchors and bot.house and (is_usual or name != YARDSTICK)
            if bot.entry_point.options == LEVELS.get(name, {})
        }
        return held if len(held) >= LEAST_HELD else {}

    @property
    def yardsticks(self) -> list[str]:
        """Bots whose wins by an opponent's fault do not count.

        If forfeits count apart, these are all bots; else the house players of a gauntlet, as only
        they meet everybody.
        """
        if self.ranking.forfeits is Forfeits.APART:
            return list(self.playing)
        is_gauntlet = self.schedule.format is Format.GAUNTLET
        return [name for name, bot in self.playing.items() if bot.house and is_gauntlet]

    @property
    def grade_rule(self) -> GradeRule:
        """The grade rule, never `auto`."""
        if self.grades.rule is not GradeRule.AUTO:
            return self.grades.rule
        if self.grades.levels:
            return GradeRule.LEVELS
        if self.ranking.anchors:
            return GradeRule.SCALE
        is_gauntlet = self.schedule.format is Format.GAUNTLET
        return GradeRule.NONE if is_gauntlet else GradeRule.SEED

    @property
    def marking(self) -> Rule | None:
        rule = self.grade_rule.rule
        return rule and rule(self.grades.terms)

    @property
    def graded_by(self) -> tuple[str, ...]:
        """House players that the grade rule needs, or that fix the ratings it grades."""
        if self.marking is None:
            return ()
        held = spread_evenly(self.ranking.anchors) if self.marking.by_rating else ()
        return (*self.marking.needs, *(name for name in held if name not in self.marking.needs))

    @property
    def lacking(self) -> tuple[str, ...]:
        """House players that a chosen grade rule needs but that are missing."""
        is_chosen = self.grades.rule is not GradeRule.AUTO or bool(self.grades.levels)
        return tuple(name for name in self.graded_by if is_chosen and name not in self.bots)

    @property
    def needs_engine(self) -> bool:
        return bool(self.engine)

    @property
    def engine(self) -> tuple[Piece, ...]:
        points = [self.bots[name].entry_point for name in self.with_engine]
        used = {piece for point in points for piece in pieces_of(point.options)}
        return tuple(
            piece
            for piece in Piece
            if piece in used or (piece is Piece.SEARCH and self.draws_openings)
        )

    @property
    def with_engine(self) -> list[str]:
        return [name for name, bot in self.playing.items() if bot.entry_point.engine is not None]

    @property
    def pool_size(self) -> int:
        """The number of openings that a new contest needs for all pairings."""
        plan = self.schedule
        block = block_of(self.rules, plan.min_plies, plan.max_plies)
        return pool_size(plan.openings, plan.shared_openings, block)

    @property
    def draws_openings(self) -> bool:
        """True if Arena's book has too few openings for these rules."""
        plan = self.schedule
        return self.pool_size > len(read_book(self.rules, plan.min_plies, plan.max_plies))

    @property
    def left_out(self) -> dict[str, str]:
        """By bot left out: why, as the rest of a sentence."""
        bots = self.bots.items()
        return {name: why for name, bot in bots if (why := bot.why_left_out) is not None}

    @property
    def unloadable(self) -> list[str]:
        """Bots left out because they cannot be loaded."""
        bots = self.bots.items()
        return [name for name, bot in bots if bot.unloadable and bot.excluded is None]


def with_rule(contest: Contest, rule: str | None) -> Contest:
    """Return the contest with the grade rule of this name, if any. Raises InputError."""
    if rule is None:
        return contest
    if rule not in [*GradeRule]:
        raise InputError(f"grade = {rule!r}: {one_of(rule, list(GradeRule))}")
    return replace(contest, grades=replace(contest.grades, rule=GradeRule(rule)))


def options_set(name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options that an instructor set for a house player, if unusual."""
    return {} if options == LEVELS.get(name) else options


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledGame:
    number: int
    """Counts from 1."""

    pairing: int

    opening: int
    """Number of the opening in the contest's pool, from 1."""

    first: str
    """Player 0, who moves first from the empty board."""

    second: str
    """Player 1."""

    key: GameKey

    @property
    def names(self) -> tuple[str, str]:
        """Both bots, first mover first."""
        return self.first, self.second


def pairings(contest: Contest) -> list[tuple[str, str]]:
    """Return all pairings, ordered so that bots progress at the same pace."""
    playing = contest.playing
    place = {name: index for index, name in enumerate(playing)}
    pairs = sorted(
        combinations(playing, 2),
        key=lambda pair: (place[pair[0]] + place[pair[1]]) % len(place),
    )
    if contest.schedule.format is Format.ROUND_ROBIN:
        return pairs
    return [pair for pair in pairs if any(playing[name].house for name in pair)]


PRESETS: Mapping[str, Contest] = MappingProxyType(
    {
        "classic": Contest(rules=RULESETS["classic"]),
        "cs4100": Contest(rules=RULESETS["cs4100"], grades=Grading(rule=GradeRule.SEED)),
        "max": Contest(rules=RULESETS["max"]),
    }
)
"""Contests by name. Settings not given here have their defaults.

>>> from arena import PRESETS
>>> print(PRESETS["cs4100"].rules)
8 rows × 8 columns, connect 4
"""


def with_preset(name: str, base: Contest) -> Contest:
    """Return `base` with a preset's rules, limits and schedule, and its grade rule.

    Bots, and schedule values that are defaults in the preset, stay as in `base`, and so does a
    grade rule that `base` names. Raises InputError.
    """
    if name not in PRESETS:
        raise InputError(f"preset = {name!r}: {one_of(name, PRESETS)}")
    chosen = PRESETS[name]
    stated = {
        field.name: value
        for field in fields(Schedule)
        if (value := getattr(chosen.schedule, field.name)) != field.default
    }
    try:
        planned = replace(base.schedule, **stated)
    except ValueError as error:
        raise InputError(f"preset {name}: {error}") from None
    grades = base.grades
    if grades.rule is GradeRule.AUTO and not grades.levels:
        grades = replace(grades, rule=chosen.grades.rule)
    return replace(base, rules=chosen.rules, limits=chosen.limits, schedule=planned, grades=grades)
