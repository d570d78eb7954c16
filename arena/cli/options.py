"""Options that several commands share, and the contest that they describe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from datetime import UTC, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import click
from rich.console import Console

from arena.cli.files import FILE, OneOf
from arena.cli.screen import ConsoleHandler, remark
from arena.common.errors import InputError
from arena.common.home import choose_home, is_home_chosen
from arena.common.text import span
from arena.contest.executors import EXECUTORS, Elsewhere, ExecutorKind, executor_of, require_sandbox
from arena.contest.session import Session
from arena.game.limits import Limits
from arena.game.starter import require_confinement
from arena.openings.pool import ALL
from arena.playing.batches import plan_lanes
from arena.playing.driver import LaneExecutor
from arena.rules import Goal
from arena.scoring.grade_rules import GradeRule
from arena.settings.contest import ALL_SHARED, PRESETS, Contest, Format, with_preset, with_rule
from arena.settings.file import read_contest_file
from arena.statistics.bradley_terry import LEVEL

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Callable[..., Any]], Callable[..., Any]]
USUAL = Contest()  # Source of the defaults in help texts.


def _field(name: str, text: str, default: object = None, **more: Any) -> Option:
    option = f"--{name.replace('_', '-')}"
    if default is None:
        part = USUAL.rules if hasattr(USUAL.rules, name) else USUAL.schedule
        default, more = getattr(part, name), {"type": int, **more}
    return click.option(option, help=f"{text}. Default: {default}.", **more)


def _likelihood(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is not a likelihood, like {LEVEL}; where a path follows, write "
            f"--until-settled={LEVEL}"
        ) from None


def _shared(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    if value is None or value == ALL_SHARED:
        return ALL if value else None
    if not (value.isascii() and value.isdigit() and len(value) < len(str(ALL))):
        raise click.BadParameter(f"{value!r}: expected 0 to {ALL - 1}, or all")
    return int(value)


NEVER = datetime.max.replace(tzinfo=UTC)
MOST_DAYS = 366


def _within(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    seconds = span(value)
    if seconds is None or not 0 < seconds <= MOST_DAYS * 86_400:
        expected = f"a time like 8h, 90min or 1h30min, at most {MOST_DAYS} days"
        raise click.BadParameter(f"{value!r}: expected {expected}")
    return (datetime.now().astimezone() + timedelta(seconds=seconds)).replace(microsecond=0)


def _until(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    if value is None or value == "never":
        return NEVER if value else None
    now = datetime.now().astimezone()
    with suppress(ValueError):
        today = datetime.combine(now.date(), time.fromisoformat(value))
        if today.astimezone() <= now:
            today += timedelta(days=1)  # before `astimezone`, as its day may have another offset
        return today.astimezone()
    with suppress(ValueError):
        found = datetime.fromisoformat(value).astimezone()
        if now < found <= now + timedelta(days=MOST_DAYS):
            return found
    expected = "a time to come, like 07:30 or 2026-12-01T07:30, or never"
    raise click.BadParameter(f"{value!r}: expected {expected}")


RULES: Mapping[str, Option] = MappingProxyType(
    {
        "rows": _field("rows", "Height of the board"),
        "columns": _field("columns", "Width of the board"),
        "connect": _field("connect", "Discs in a line"),
        "goal": _field(
            "goal",
            "first: the first line wins; most: the board is filled, most lines win",
            USUAL.rules.goal.value,
            type=OneOf([goal.value for goal in Goal]),
        ),
    }
)

LIMITS: Mapping[str, Option] = MappingProxyType(
    {
        each.name: _field(
            each.name,
            each.metadata["words"],
            f"{each.default:,g}",
            type=type(each.default),
            metavar=each.metadata["metavar"],
        )
        for each in fields(Limits)
        if each.metadata
    }
)

SCHEDULE: Mapping[str, Option] = MappingProxyType(
    {
        "openings": _field("openings", "Openings of a pairing, each played twice", metavar="N"),
        "shared_openings": click.option(
            "--shared-openings",
            callback=_shared,
            metavar="N",
            help="Of these, all pairings share the first, the eighth, and so on, up to this "
            "number; the others are each pairing's own. all: all are shared. Default: "
            f"{USUAL.schedule.shared_openings}.",
        ),
        "seed": _field(
            "seed",
            "Seed of openings and bots' random numbers",
            "drawn for a contest, else 1",
            type=int,
        ),
        "min_plies": _field("min_plies", "Discs of the shortest opening", metavar="N"),
        "max_plies": _field("max_plies", "Discs of the longest opening", metavar="N"),
        "format": _field(
            "format",
            "round-robin: everybody meets everybody; gauntlet: every bot meets only the house "
            "players",
            USUAL.schedule.format.value,
            type=OneOf([each.value for each in Format]),
        ),
        "until_settled": click.option(
            "--until-settled",
            is_flag=False,
            flag_value=str(LEVEL),
            callback=_likelihood,
            metavar="[LEVEL]",
            help="Play the most informative openings, round by round, until each bot is better "
            f"than the next with this likelihood, by default {LEVEL}. --openings limits each "
            "pairing; 0 plays all openings. Default: 0.",
        ),
        "until": click.option(
            "--until",
            callback=_until,
            metavar="TIME",
            help="End at this time, like 07:30, and play the games that tell most until then. "
            "never: play all games. Default: never.",
        ),
        "retire_after": _field(
            "retire_after",
            "Retire a bot that lost N games, and half of all, by hanging or not loading; 0: never",
            metavar="N",
        ),
        "with_unloadable": click.option(
            "--with-unloadable/--without-unloadable",
            default=None,
            help="Bots that cannot be loaded take part, and lose all their games; or they are left "
            "out, and have the lowest grade. Default: left out.",
        ),
    }
)

WITHIN = click.option(
    "--within",
    callback=_within,
    metavar="SPAN",
    help="The same as --until, as the time from now: 8h, 90min.",
)

GRADE = click.option(
    "--grade",
    type=OneOf([rule.value for rule in GradeRule if rule.rule or rule is GradeRule.NONE]),
    help="The grade rule. Default: scale where the house players' ratings are known, else seed.",
)

# Fields of the schedule that decide which openings are played.
OPENINGS = ("openings", "seed", "min_plies", "max_plies")

# Options that the others override.
BASE: tuple[Option, ...] = (
    click.option(
        "--preset",
        type=OneOf(list(PRESETS)),
        help="A course's contest, instead of the defaults named here.",
    ),
    click.option(
        "--config", type=FILE, help="A contest file; options on the command line override it."
    ),
)


def _adding(*options: Option) -> Callable[[Command], Command]:
    def give(command: Command) -> Command:
        for option in reversed(options):
            option(command)  # Click stores them on the function
        return command

    return give


_OPENINGS = [SCHEDULE[name] for name in OPENINGS]
rules_options = _adding(*BASE, *RULES.values())  # For commands about a position: the rules.
openings_options = _adding(  # For commands about openings.
    *BASE, *RULES.values(), *_OPENINGS, SCHEDULE["shared_openings"]
)

# For commands that play a single game.
game_options = _adding(*BASE, *RULES.values(), *LIMITS.values(), SCHEDULE["seed"])

# For commands with games, but without a choice of pairings.
contest_options = _adding(*BASE, *RULES.values(), *LIMITS.values(), *_OPENINGS)

# Every option that `contest_from` reads.
run_options = _adding(*BASE, *RULES.values(), *LIMITS.values(), *SCHEDULE.values(), WITHIN, GRADE)
time_options = _adding(SCHEDULE["until"], WITHIN)  # For commands that continue a contest.
AT_HOME = "Run bots in ordinary processes, not confined; the results are not for grading."


def confine(home: bool) -> None:
    """Choose home mode if wanted; warn if bots are confined badly. Raises InputError."""
    if home:
        choose_home()
    if warning := require_confinement():
        remark(warning)


# Option for commands that run bots; they refuse to run where bots cannot be confined.
runs_bots = click.option(
    "--home",
    is_flag=True,
    expose_value=False,
    callback=lambda _, __, home: confine(home),
    help=AT_HOME,
)

# Option for commands that take paths of bots.
one_bot = click.option(
    "--one-bot", is_flag=True, help="A folder is one bot, even if it looks like several."
)


class Where(NamedTuple):
    """Where a command plays and logs: options that no command passes on."""

    lanes: int | None = None
    elsewhere: Elsewhere | None = None
    log_json: bool = False


def where() -> Where:
    context = click.get_current_context(silent=True)
    return Where() if context is None else context.meta.get(__name__, Where())


def _storing(name: str, kind: ExecutorKind | None = None) -> Callable[..., None]:
    def keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        if kind is not None and value is not None:
            require_sandbox(kind)
            kind.check(value)  # before anything is written
            value = Elsewhere(kind, value)
        if value:
            ctx.meta[__name__] = where()._replace(**{name: value})

    return keep


log_json = click.option(
    "--log-json",
    is_flag=True,
    expose_value=False,
    callback=_storing("log_json"),
    help="Also write a log for programs, arena.jsonl, with a JSON object in each line: in the "
    "contest's folder, or here if there is none.",
)

# Options for commands that play: they are not passed on, see `executing`.
on_executors = _adding(
    click.option(
        "--lanes",
        type=click.IntRange(min=1),
        expose_value=False,
        callback=_storing("lanes"),
        help="Games at a time. Default: one a core.",
    ),
    *(
        click.option(
            f"--{kind.name}",
            callback=_storing("elsewhere", kind),
            expose_value=False,
            metavar=kind.metavar,
            help=kind.words,
        )
        for kind in EXECUTORS
    ),
    log_json,
)


def executor_words() -> list[str]:
    if is_home_chosen():
        return ["--home"]
    place = where().elsewhere
    return [f"--{place.kind.name}", place.place] if place else []


@contextmanager
def executing(session: Session, console: Console) -> Iterator[LaneExecutor]:
    """Open the executor that the command line names, or this machine's lanes, and log."""
    lanes, place, as_json = where()
    opening = executor_of(session, lanes, place, remark)
    with session.executing(opening, ConsoleHandler(console), log_json=as_json) as executor:
        yield executor


def end_of(options: Mapping[str, Any]) -> datetime | None:
    """Return the end that --until or --within names; None without, NEVER for `never`."""
    if options.get("until") and options.get("within"):
        raise click.UsageError("--until and --within: name only one of them")
    end: datetime | None = options.get("until") or options.get("within")
    return end


def contest_from(base: Contest, options: dict[str, Any]) -> Contest:
    """Return the contest that the options describe. Raises InputError.

    Options override the contest file, which overrides the preset, which overrides `base`.
    """
    before, end = base.rules, end_of(options)
    if options["preset"] is not None:
        base = with_preset(options["preset"], base)
    if options["config"] is not None:
        base = read_contest_file(options["config"], base)
    try:
        rules = replace(base.rules, **_given(options, RULES))
        is_named = options.get("connect") is not None
        if is_named or (rules != before and rules.connect != USUAL.rules.connect):
            rules.require_line()
        return replace(
            with_rule(base, options.get("grade")),
            rules=rules,
            limits=replace(base.limits, **_given(options, LIMITS)),
            schedule=replace(base.schedule, **_given({**options, "until": end}, SCHEDULE)),
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def lane_cores(lanes: int | None, limits: Limits | None = None) -> list[int]:
    cores, remarks = plan_lanes(lanes, limits)
    remark(*remarks)
    return cores


def _given(options: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    given = {name: options[name] for name in names if options.get(name) is not None}
    if "goal" in given:
        given["goal"] = Goal(given["goal"])
    if "format" in given:
        given["format"] = Format(given["format"])
    if "until" in given:
        given["until"] = None if given["until"] == NEVER else given["until"]
    if "nodes" in given:
        given |= {"nodes": given["nodes"] or None, "nodes_for_all": given["nodes"] != 0}
    return given
