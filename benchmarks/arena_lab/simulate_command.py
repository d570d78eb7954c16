"""`arena lab simulate`: how many openings a class needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from math import isnan
from pathlib import Path
from time import perf_counter_ns
from typing import Any, TypeVar

import click
from rich.table import Table

from arena.cli.options import SCHEDULE
from arena.cli.screen import screen, tracked
from arena.common.errors import InputError
from arena.common.system import available_cores
from arena.common.text import counted, duration
from arena.contest.session import Session
from arena_lab.figures import (
    WANTED,
    SimulatedRow,
    advised,
    means,
    round_robin_games,
    standard_errors,
)
from arena_lab.population import scenario_of
from arena_lab.simulation import Scenario, simulate_classes

Command = TypeVar("Command", bound=Callable[..., Any])


def _counts(low: int, high: int) -> Callable[..., tuple[int, ...] | None]:
    """Return a callback for an option that holds whole numbers separated by commas."""

    def read(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, ...] | None:
        if value is None:
            return None
        words = [word.strip() for word in value.split(",")]
        for word in words:
            is_number = word.isascii() and word.isdigit() and len(word) < 10
            if not (is_number and low <= int(word) <= high):
                raise click.BadParameter(
                    f"{word!r} is not a whole number from {low} to {high}; several are separated "
                    "by commas, like 5,10,20"
                )
        return tuple(sorted({int(word) for word in words}))

    return read


def _finite(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    """Refuse NaN, which passes the check of an option's range."""
    if value is not None and isnan(value):
        raise click.BadParameter(f"{value} is not a number")
    return value


def _figure(
    option: str, metavar: str, most: float, text: str, default: float
) -> Callable[[Command], Command]:
    """Return an option for a property of the simulated classes, from 0 to `most`.

    The default is in the help only, as --from has others.
    """
    return click.option(
        option,
        type=click.FloatRange(0, most),
        callback=_finite,
        metavar=metavar,
        help=f"{text}. Default: {default:g}.",
    )


@click.command()
@click.option(
    "--bots",
    callback=_counts(2, 1000),
    metavar="N,…",
    help="Students in a class. Default: 30, or as in the contest of --from.",
)
@click.option(
    "--openings",
    callback=_counts(1, 1000),
    metavar="N,…",
    default="1,2,5,10,20",
    show_default=True,
    help="Openings of a pairing, each played twice.",
)
@SCHEDULE["shared_openings"]
@click.option(
    "--until-settled",
    type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
    callback=_finite,
    is_flag=False,
    flag_value=0.95,
    metavar="[LEVEL]",
    help="Also simulate contests that end when they are settled, with these openings at most. "
    "Takes ten times as long. LEVEL is 0.95 if left out.",
)
@click.option(
    "--games",
    type=click.IntRange(4, 100_000),
    metavar="N",
    help="Also simulate contests that choose the games that tell most, with this number of games "
    "of each bot on average, and these openings at most.",
)
@click.option(
    "--from",
    "folder",
    type=click.Path(path_type=Path),
    metavar="results/NAME",
    help="Estimate the five figures below from this contest; its house players play.",
)
@_figure(
    "--spread", "ELO", 2000, "Standard deviation of the students' strengths in Elo points", 250
)
@_figure("--draws", "SHARE", 0.99, "Share of draws between equals", 0.15)
@_figure(
    "--bias", "ELO", 1000, "Standard deviation of an opening's advantage for the first player", 100
)
@_figure("--suits", "ELO", 1000, "Standard deviation of how much an opening suits a bot", 85)
@_figure(
    "--repeats",
    "SHARE",
    1,
    "Chance that two bots' games of a later opening end like those of their first",
    0,
)
@click.option("--classes", type=click.IntRange(1, 1_000_000), default=200, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option(
    "--seeds",
    type=click.IntRange(2, 10_000),
    default=5,
    show_default=True,
    help="Contests of a class, with other openings; from 20 on grades' intervals are checked.",
)
@click.option(
    "--no-anchors",
    is_flag=True,
    help="Rate house players like all bots, as contests without [ranking.anchors] do.",
)
@click.option("--lanes", type=click.IntRange(min=1), help="Classes at a time. Default: one a core.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def simulate(as_json: bool, lanes: int | None, **options: Any) -> int:
    """Simulate classes of known strength to see how certain ranks and grades are.

    Draws the strengths of a class and the results of its games, and ranks and grades it as
    `arena rank` does. The errors show how many openings a class needs.

    \b
    Example:
      arena lab simulate --bots 30 --openings 5,10,20
    """
    show_simulated(options, lanes, as_json=as_json)
    return 0


MOST_GAMES = 3_000_000  # Of a contest; takes about 2 GB.


def show_simulated(options: Mapping[str, Any], lanes: int | None, *, as_json: bool) -> None:
    """Simulate the command's scenarios and print the figures. Raises InputError."""
    scenarios = _scenarios(options)
    shown = []
    for scenario in scenarios:
        classes = _simulated(scenario, options["classes"], options["seed"], lanes)
        if as_json:
            shown.append(_plain(scenario, classes))
        else:
            _show(scenario, means(classes), options)
    if as_json:
        about = {"seed": options["seed"], "classes": options["classes"], "wanted": WANTED}
        click.echo(json.dumps(about | {"fields": shown}, indent=2))


def _scenarios(options: Mapping[str, Any]) -> list[Scenario]:
    """Return a scenario for each number of students. Raises InputError."""
    level = options["until_settled"] or 0.0
    games = options["games"] or 0
    if level and games:
        raise InputError("--until-settled and --games: name only one of them")
    scenario = Scenario(
        openings=options["openings"], seeds=options["seeds"], until_settled=level, games_each=games
    )
    if options["folder"] is not None:
        scenario = scenario_of(Session.read(options["folder"]), scenario)
    if options["shared_openings"] is not None:
        scenario = replace(scenario, shared=options["shared_openings"])
    scenario = replace(scenario, is_held=scenario.is_held and not options["no_anchors"])
    names = ("spread", "draws", "bias", "suits", "repeats")
    given = {name: options[name] for name in names if options[name] is not None}
    population = replace(scenario.population, **given)
    scenarios = [
        replace(scenario, population=replace(population, players=students))
        for students in options["bots"] or (population.players,)
    ]
    for each in scenarios:
        if (games := each.games(each.openings[-1])) > MOST_GAMES:
            raise InputError(
                f"--bots {each.population.players} --openings {each.openings[-1]}: contests of "
                f"{games:,} games are too large to simulate; {MOST_GAMES:,} is the most"
            )
    return scenarios


def _simulated(
    scenario: Scenario, classes: int, seed: int, lanes: int | None
) -> list[tuple[SimulatedRow, ...]]:
    console, done = screen(stderr=True), []
    students = counted(scenario.population.players, "student")
    rows = simulate_classes(scenario, classes, seed, lanes or len(available_cores()))
    started = perf_counter_ns()
    try:
        for each in tracked(rows, f"{students}: simulated", classes, "classes", console):
            done.append(each)
    except KeyboardInterrupt:
        console.print(f"stopped after {len(done):,} of {counted(classes, 'class')} of {students}")
        raise
    spent = duration(perf_counter_ns() - started)
    console.print(f"{students}: {counted(classes, 'class')} in {spent}")
    return done


def _plain(scenario: Scenario, classes: Sequence[tuple[SimulatedRow, ...]]) -> dict[str, Any]:
    population, rows = scenario.population, means(classes)
    plain = [asdict(row) for row in rows]
    if len(classes) > 1:
        for row, errors in zip(plain, standard_errors(classes), strict=True):
            row["standard_errors"] = {
                name: value
                for name, value in asdict(errors).items()
                if name not in ("openings", "in_rounds")
            }
    for row, figures in zip(plain, rows, strict=True):
        if figures.in_rounds:
            error = figures.order.rank_error
            row["round_robin_games"] = round_robin_games(rows, error)
    advice = {rule: advised(rows, rule) for rule in rows[0].grades}
    return {
        **asdict(population),
        "house": dict(zip(scenario.house, population.house, strict=True)),
        "rows": plain,
        "advice": {rule: row.openings if row else None for rule, row in advice.items()},
    }


def _show(scenario: Scenario, rows: Sequence[SimulatedRow], options: Mapping[str, Any]) -> None:
    console = screen()
    drawn = scenario.population
    console.print(
        f"{counted(drawn.players, 'student')} and {counted(len(scenario.house), 'house player')}; "
        f"strengths spread by {drawn.spread:.0f} Elo, those in one opening by {drawn.suits:.0f}, "
        f"openings' advantage by {drawn.bias:.0f}, "
        f"{drawn.draws:.0%} draws between equals"
        + f", {drawn.repeats:.0%} repeats" * bool(drawn.repeats)
        + f"; {counted(options['classes'], 'class')}, seed {options['seed']}"
    )
    console.print(_order_table(rows))
    console.print(_grades_table(rows))
    console.print(LEGEND)
    for line in (*_savings(rows), *_advice(scenario, rows)):
        console.print(line)


LEGEND = (
    "± Elo: half of a rating's 95 % interval. Rating, gap holds: share of these intervals that "
    "contain the true rating, or the true difference of two students. Rank off: distance to the "
    "true rank. Rank corr.: correlation with the true ranks. Top ten: share of the ten best that "
    "are among the first ten. Rank range: number of ranks in the table's range. Wrong order: "
    "neighbours whose lower one is better. Wrong grades: more than half a point from the grades by "
    "true strength. Within ½, 1: of the grade's mean over seeds; ± holds: share of grades whose "
    "interval has it. Moved: by more than half a point, by one bot more or less, or by one opening "
    "more."
)


# (title, figure of OrderQuality, format)
ORDER_COLUMNS = (
    ("± Elo", "rating_error", ".0f"),
    ("rating\nholds", "rating_coverage", ".1%"),
    ("gap\nholds", "difference_coverage", ".1%"),
    ("rank\noff", "rank_error", ".2f"),
    ("rank\ncorr.", "rank_correlation", ".3f"),
    ("top\nten", "top_ten", ".0%"),
    ("rank\nrange", "ranks", ".1f"),
    ("wrong\norder", "neighbours_wrong", ".1%"),
)


def _order_table(rows: Sequence[SimulatedRow]) -> Table:
    table = Table(header_style="bold")
    for title in ("openings", "games", *(title for title, _, _ in ORDER_COLUMNS)):
        table.add_column(title, justify="right")
    for row in rows:
        cells = [format(getattr(row.order, name), form) for _, name, form in ORDER_COLUMNS]
        table.add_row(_openings(row), f"{row.games:,.0f}", *cells)
        if row.openings == rows[-1].openings:
            table.add_section()
    return table


def _openings(row: SimulatedRow) -> str:
    """Format a number of openings; as `≤ 10` if the contest can end before."""
    return f"{'≤ ' * row.in_rounds}{row.openings:,}"


def _grades_table(rows: Sequence[SimulatedRow]) -> Table:
    table = Table(header_style="bold")
    table.add_column("grades by")
    covers = any(errors.covered for errors in rows[0].grades.values())
    titles = ["openings", "wrong", "by more than\none point", "within\n½", "within\n1"]
    titles += ["moved by\na bot", "moved by\nan opening"]
    for title in (*titles, *["±\nholds"] * covers):
        table.add_column(title, justify="right")
    for rule in rows[0].grades:
        graded = [row for row in rows if rule in row.grades]
        for row in graded:
            errors = row.grades[rule]
            table.add_row(
                rule if row is rows[0] else "",
                _openings(row),
                f"{errors.wrong:.1%}",
                f"{errors.far:.1%}",
                f"{errors.within_half:.1%}",
                f"{errors.within_one:.1%}",
                "" if row.in_rounds else f"{errors.moved_by_bot:.1%}",
                "" if row.in_rounds else f"{errors.moved_by_opening:.1%}",
                *[f"{errors.covered:.1%}"] * covers,
                end_section=row is graded[-1],
            )
    return table


def _savings(rows: Sequence[SimulatedRow]) -> Iterator[str]:
    """Yield a line for each contest that chooses its games: how many this saves."""
    for row in rows:
        needed = round_robin_games(rows, row.order.rank_error)
        if row.in_rounds and needed is not None:
            yield (
                f"In rounds, with {counted(row.openings, 'opening')} at most: {row.games:,.0f} "
                f"games; a round robin with ranks as good has {needed:,.0f}, so "
                f"{1 - row.games / needed:.0%} are saved."
            )


def _advice(scenario: Scenario, rows: Sequence[SimulatedRow]) -> Iterator[str]:
    students = counted(scenario.population.players, "student")
    yield (
        f"For {students}, {WANTED:.0%} of the grades are within one point of the grades by true "
        "strength with"
    )
    for rule in rows[0].grades:
        row = advised(rows, rule)
        if row is None:
            last = [row for row in rows if not row.in_rounds][-1]
            near = 1 - last.grades[rule].far
            yield f"  graded by {rule}: more than {last.openings} openings ({near:.1%} there)"
        else:
            errors, openings = row.grades[rule], counted(row.openings, "opening")
            yield (
                f"  graded by {rule}: {openings}, {row.games:,.0f} games ({1 - errors.far:.1%}; "
                f"{errors.within_half:.1%} within half a point of their mean over seeds)"
            )
