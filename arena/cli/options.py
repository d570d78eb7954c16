"""Options that several commands share, and the contest they describe."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.cli.screen import screen
from arena.contest import (
    PRESETS,
    Contest,
    Format,
    available_cores,
    read_contest_file,
    without_absent,
)
from arena.errors import InputError
from arena.quoting import one_line
from arena.referee import Limits
from arena.referee.memory import games_in_memory, memory_plan
from arena.referee.tasks import games_in_tasks, tasks_plan
from arena.referee.zygote import require_confinement
from arena.rules import Goal

Command = TypeVar("Command", bound=Callable[..., Any])

RULES = ("rows", "columns", "connect", "goal")
LIMITS = ("move_seconds", "first_move_seconds", "load_seconds", "nodes")
SCHEDULE = ("openings", "seed", "format", "min_plies", "max_plies")


def _with_default(what: str, default: object) -> str:
    """The help text of an option."""
    return f"{what}. Default: {default}."


_USUAL = Contest()
"""Where the defaults stand."""

_RULES = (
    click.option(
        "--preset",
        type=click.Choice(list(PRESETS)),
        help="A course's rules and limits, in place of the defaults named here.",
    ),
    click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        help="A contest file; options on the command line override it.",
    ),
    click.option("--rows", type=int, help=_with_default("Height of the board", _USUAL.rules.rows)),
    click.option(
        "--columns", type=int, help=_with_default("Width of the board", _USUAL.rules.columns)
    ),
    click.option(
        "--connect", type=int, help=_with_default("Discs in a line", _USUAL.rules.connect)
    ),
    click.option(
        "--goal",
        type=click.Choice([goal.value for goal in Goal]),
        help=_with_default(
            "first: the first line wins; most: the board is filled, most lines win",
            _USUAL.rules.goal.value,
        ),
    ),
)

_LIMITS = (
    click.option(
        "--move-seconds",
        type=float,
        metavar="S",
        help=_with_default("Time for one move", f"{_USUAL.limits.move_seconds:g}"),
    ),
    click.option(
        "--first-move-seconds",
        type=float,
        metavar="S",
        help=_with_default(
            "Added to that for a bot's first move", f"{_USUAL.limits.first_move_seconds:g}"
        ),
    ),
    click.option(
        "--load-seconds",
        type=float,
        metavar="S",
        help=_with_default("Time to be imported and built", f"{_USUAL.limits.load_seconds:g}"),
    ),
    click.option(
        "--nodes",
        type=int,
        metavar="N",
        help=_with_default("Node budget for one move, 0 for none", _USUAL.limits.nodes),
    ),
)

_SEED = click.option(
    "--seed",
    type=int,
    help="Seed of openings and bots' random numbers. Default: drawn for a contest, else 1.",
)

_OPTIONS = (
    *_RULES,
    *_LIMITS,
    click.option(
        "--openings",
        type=int,
        metavar="N",
        help=_with_default("Openings of a pairing, each played twice", _USUAL.schedule.openings),
    ),
    _SEED,
)


def contest_options(command: Command) -> Command:
    """Give a command the options from which `contest_from` makes a contest."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def game_options(command: Command) -> Command:
    """Give a command those of them that a single game has."""
    for option in reversed((*_RULES, *_LIMITS, _SEED)):
        command = option(command)
    return command


def rules_options(command: Command) -> Command:
    """Give a command those of them that say which game is meant."""
    for option in reversed(_RULES):
        command = option(command)
    return command


def _confine(_: click.Context, __: click.Parameter, allow_unsandboxed: bool) -> None:
    """Refuse to go on, or warn, where this machine cannot confine bots well enough."""
    if warning := require_confinement(allow_unsandboxed):
        screen(stderr=True).print(warning, style="yellow", markup=False)


runs_bots = click.option(
    "--allow-unsandboxed",
    is_flag=True,
    expose_value=False,
    callback=_confine,
    help="Run bots even where this machine cannot confine them.",
)
"""Marks a command that runs bots: it does so only where they can be confined."""


one_bot = click.option(
    "--one-bot", is_flag=True, help="A folder is one bot, even if it looks like several."
)
"""Marks a command that takes bots by their paths."""


def contest_from(base: Contest, options: dict[str, Any]) -> Contest:
    """The contest that options describe, on top of `base`. Raises InputError.

    A preset replaces rules and limits of `base`, a contest file goes on top of that, single
    options on top of all.
    """
    if options["preset"] is not None:
        preset = PRESETS[options["preset"]]
        base = replace(base, rules=preset.rules, limits=preset.limits)
    if options["config"] is not None:
        base = read_contest_file(options["config"], base)
    try:
        return replace(
            base,
            rules=replace(base.rules, **_given(options, RULES)),
            limits=replace(base.limits, **_given(options, LIMITS)),
            schedule=replace(base.schedule, **_given(options, SCHEDULE)),
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def contest_of(names: Iterable[str], contest: Contest) -> Contest:
    """The contest with what it says of these bots; says which others it speaks of."""
    contest, absent = without_absent(contest, names)
    if absent:
        said = f"not here, though the contest file names them: {', '.join(absent)}"
        screen(stderr=True).print(one_line(said), style="yellow", markup=False)
    return contest


def lane_cores(lanes: int | None, limits: Limits | None = None) -> list[int]:
    """A core for each lane, but no more lanes than there is room for bots with these limits: of
    memory, and of threads and processes.

    Says so if that makes them fewer. Raises InputError for more lanes than cores.
    """
    cores = available_cores()
    if lanes is not None and lanes > len(cores):
        raise InputError(f"--lanes {lanes}: there are only {len(cores)} cores, one for each lane")
    cores = cores[:lanes]
    if limits is None:
        return cores
    rooms = (
        (
            games_in_memory(limits.memory_mb),
            memory_plan(limits.memory_mb),
            ", and what does not fit into memory is not played",
        ),
        (
            games_in_tasks(),
            tasks_plan(),
            ", and a bot's thread may fail to start for no fault of its",
        ),
    )
    for room, plan, otherwise in rooms:
        if room < len(cores):
            said = f"{plan}: {max(1, room)} at a time{'' if room else otherwise}"
            screen(stderr=True).print(said, style="yellow", markup=False)
            cores = cores[: max(1, room)]
    return cores


def _given(options: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The options among `names` that were typed, as values of their fields."""
    given = {name: options[name] for name in names if options.get(name) is not None}
    if "goal" in given:
        given["goal"] = Goal(given["goal"])
    if "format" in given:
        given["format"] = Format(given["format"])
    if "nodes" in given:
        given |= {"nodes": given["nodes"] or None, "nodes_for_all": given["nodes"] != 0}
    return given
