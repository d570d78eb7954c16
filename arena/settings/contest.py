"""The configuration of a contest: rules, limits, schedule and bots, as in `contest.toml`.

The games that a contest consists of: who meets whom, and what a game of it is.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from math import inf, isfinite
from typing import Any

from arena.common.errors import SettingError
from arena.common.names import LEVELS, YARDSTICK
from arena.game.limits import Limits
from arena.game.record import GameKey
from arena.interfaces import EntryPoint, Overrides
from arena.openings import kinds_for
from arena.rules import Ruleset
from arena.scoring import GradeRule, Rule, Thresholds, TieBreakName, read_thresholds


class Format(StrEnum):
    """The pairings of a contest.

    >>> from arena import Format
    >>> Format("gauntlet")
    <Format.GAUNTLET: 'gauntlet'>
    """

    ROUND_ROBIN = "round-robin"
    """Everybody meets everybody."""

    GAUNTLET = "gauntlet"
    """Every bot meets the house players, not each other: time grows with the class, no faster."""


class Forfeits(StrEnum):
    """How games count that are lost by a fault."""

    COUNT = "count"
    """As any other: a loss for one, a win for the other."""

    APART = "apart"
    """A loss for the bot at fault, and nothing for its opponent."""


SEED_BITS = 62
"""Bits of the largest seed; TOML's whole numbers have 63."""


def draw_seed() -> int:
    """A seed that no bot can guess.

    Each bot's own seed is a hash of the game's key. All of a key but the contest's seed can be
    known to a bot, so from a small one, tried out, follow its opponent's random numbers.
    """
    return secrets.randbits(SEED_BITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The games of a contest: their pairings, openings and seed."""

    format: Format = Format.ROUND_ROBIN
    """Who meets whom."""

    openings: int = 10
    """Openings of every pairing; each is played twice, with sides swapped."""

    seed: int = 1
    """Seed of the openings and of the bots' random numbers. This default is for games that do not
    count: `arena run` draws one."""

    min_plies: int = 8
    """Discs on the board when the shortest openings end."""

    max_plies: int = 14
    """Discs on the board when the longest openings end."""

    until_settled: float = 0.0
    """Likelihood with which each bot must be better than the next for the contest to end before
    all openings are played; 0 to play them all."""

    retire_after: int = 5
    """Games lost by hanging, or failing to load, after which a bot is retired; 0 for never."""

    with_unloadable: bool = False
    """True if bots that cannot be loaded take part, and lose all their games; false if they are
    left out, with the lowest grade. A contest that was begun without this key plays them."""

    def __post_init__(self) -> None:
        if not 1 <= self.openings <= 100_000:
            raise SettingError("openings", self.openings, "1 to 100000")
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
        if self.retire_after < 0:
            raise SettingError("retire_after", self.retire_after, "a number of faults, 0 for never")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """How results become ratings and ranks."""

    forfeits: Forfeits = Forfeits.COUNT
    """How games count that are lost by a fault: `count` or `apart`."""

    tie_breaks: tuple[TieBreakName, ...] = (
        TieBreakName.DIRECT,
        TieBreakName.SONNEBORN_BERGER,
        TieBreakName.FORFEITS,
    )
    """What ranks bots with the same points a game, one after another."""

    anchor: str = YARDSTICK
    """Name of the bot whose rating is fixed; if it does not take part, the mean rating is."""

    anchor_rating: float = 1500.0
    """That rating."""

    def __post_init__(self) -> None:
        if len(set(self.tie_breaks)) < len(self.tie_breaks):
            given = [str(name) for name in self.tie_breaks]
            raise SettingError("tie_breaks", given, "each only once")
        if not isfinite(self.anchor_rating):
            raise SettingError("anchor_rating", self.anchor_rating, "a number, like 1500")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grading:
    """How ranks become grades."""

    rule: GradeRule = GradeRule.AUTO
    """The rule. `auto` is `levels` if thresholds are set, else `seed` in a round robin and `none`
    in a gauntlet."""

    levels: Mapping[str, Any] = field(default_factory=dict)
    """For the rule `levels`: for each grade the share of points needed against house players, like
    `6 = { greedy = 0.5, random = 0.9 }`; without it Arena's own."""

    freeze: bool = False
    """True if grades of those on time are computed without the games of those who were late."""

    late_penalty: float = 0.0
    """Grade points taken from a late hand-in, where the roster does not say how many."""

    def __post_init__(self) -> None:
        read_thresholds(self.levels)
        if not 0 <= self.late_penalty < inf:
            raise SettingError("late_penalty", self.late_penalty, "grade points, like 1 or 0.5")

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds of the rule `levels`."""
        return read_thresholds(self.levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    """The names by which students know each other."""

    pseudonyms: bool = False
    """True if students' pages name other students' bots by pseudonyms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotEntry:
    """One bot of a contest. An instructor sets its overrides, a contest records the rest."""

    overrides: Overrides = field(default_factory=Overrides)
    """What the instructor set."""

    entry_point: EntryPoint = field(default_factory=EntryPoint)
    """How the bot is entered: as found, and as set."""

    source: str | None = None
    """Where the bot was read from."""

    content_hash: str | None = None
    """Digest of its files, and the name of its folder in the contest's `bots/`."""

    problem: str | None = None
    """Why it cannot play, if its files already told."""

    refused: str | None = None
    """Why it cannot play on this contest's board, or cannot be loaded, so that it does not take
    part; the predicate of a sentence about it."""

    unloadable: bool = False
    """True if it is refused as it cannot be loaded: then it has the lowest grade."""

    excluded: str | None = None
    """The instructor's reason for leaving it out of the tables, perhaps empty; None if it is not
    left out. It is kept in `excluded.csv`, see `arena.contest.exclusion`."""

    house: bool = False
    """Whether it is a house player, which gets no grade."""

    likeness: str = ""
    """The same for bots that differ in what changes no game, see `Submission`; empty if unknown."""

    @property
    def why_left_out(self) -> str | None:
        """Why it does not take part, the predicate of a sentence; None if it does."""
        if self.excluded is None:
            return self.refused
        reason = f": {self.excluded}" if self.excluded else ""
        return f"was left out by the instructor{reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Everything that decides which games are played and how, and how results count.

    >>> from arena import Contest, Ruleset
    >>> contest = Contest(rules=Ruleset(rows=8, columns=8))
    >>> contest.limits.nodes, contest.schedule.format.value
    (10000, 'round-robin')
    """

    rules: Ruleset = field(default_factory=Ruleset)
    """The rules of every game."""

    limits: Limits = field(default_factory=Limits)
    """What a bot may spend."""

    schedule: Schedule = field(default_factory=Schedule)
    """Which games are played."""

    ranking: Ranking = field(default_factory=Ranking)
    """How results become ranks; no game depends on it."""

    grades: Grading = field(default_factory=Grading)
    """How ranks become grades; no game's key depends on it."""

    publish: Publishing = field(default_factory=Publishing)
    """How students know each other; no game depends on it."""

    bots: Mapping[str, BotEntry] = field(default_factory=dict)
    """The bots by name, in the order of the roster."""

    @property
    def playing(self) -> dict[str, BotEntry]:
        """Those that take part: all but those that are left out."""
        return {name: bot for name, bot in self.bots.items() if bot.why_left_out is None}

    @property
    def yardsticks(self) -> list[str]:
        """The bots for which games that were won by the other's fault do not count.

        With forfeits apart that is everybody. In a gauntlet it is the house players: as they alone
        meet everybody, such wins would say much of the others and nothing of them.
        """
        if self.ranking.forfeits is Forfeits.APART:
            return list(self.playing)
        is_gauntlet = self.schedule.format is Format.GAUNTLET
        return [name for name, bot in self.playing.items() if bot.house and is_gauntlet]

    @property
    def grade_rule(self) -> GradeRule:
        """The rule by which it is graded; not `auto`."""
        if self.grades.rule is not GradeRule.AUTO:
            return self.grades.rule
        if self.grades.levels:
            return GradeRule.LEVELS
        is_gauntlet = self.schedule.format is Format.GAUNTLET
        return GradeRule.NONE if is_gauntlet else GradeRule.SEED

    @property
    def marking(self) -> Rule | None:
        """That rule with the contest's thresholds; None if it is not graded."""
        rule = self.grade_rule.rule
        return rule and rule(self.grades.thresholds)

    @property
    def graded_by(self) -> tuple[str, ...]:
        """The house players that its rule measures by."""
        return self.marking.needs if self.marking else ()

    @property
    def lacking(self) -> tuple[str, ...]:
        """The house players that its rule measures by and that do not take part.

        None if no rule was chosen: then nobody asked for grades.
        """
        is_chosen = self.grades.rule is not GradeRule.AUTO or bool(self.grades.levels)
        return tuple(name for name in self.graded_by if is_chosen and name not in self.bots)

    @property
    def needs_engine(self) -> bool:
        """True if Arena's engine is to be compiled before it is played: a bot is played by it, or
        openings are to be drawn."""
        bots = self.playing.values()
        is_played = any(bot.entry_point.engine is not None for bot in bots)
        return is_played or self.draws_openings

    @property
    def draws_openings(self) -> bool:
        """True if openings take the engine: the book of its rules, if there is one, has too few."""
        plan = self.schedule
        kinds = kinds_for(self.rules, plan.openings, plan.min_plies, plan.max_plies)
        return any(kind.needs_engine for kind in kinds)

    @property
    def left_out(self) -> dict[str, str]:
        """The bots that do not take part: the reasons, each a predicate, by name."""
        bots = self.bots.items()
        return {name: why for name, bot in bots if (why := bot.why_left_out) is not None}

    @property
    def unloadable(self) -> list[str]:
        """Those of them that are left out as they cannot be loaded, which have a grade."""
        bots = self.bots.items()
        return [name for name, bot in bots if bot.unloadable and bot.excluded is None]


def set_options(name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return which of a house player's options are set in its contest: none if all are its own."""
    return {} if options == LEVELS.get(name) else options


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
