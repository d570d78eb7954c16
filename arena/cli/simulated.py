"""The work and the tables of `arena simulate`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter_ns
from typing import Any

import click
from rich.table import Table

from arena.cli.screen import screen, tracked
from arena.contest import Session
from arena.errors import InputError
from arena.measure.figures import (
    WANTED,
    Row,
    advised,
    means,
    round_robin_games,
    standard_errors,
)
from arena.measure.population import scenario_of
from arena.measure.simulation import Scenario, simulate_classes
from arena.numbers import counted, duration

MOST_GAMES = 3_000_000
"""Games of the largest contest that is simulated; it takes about 2 GB."""


def show_simulated(options: Mapping[str, Any], lanes: int | None, *, as_json: bool) -> None:
    """Simulate what the options of the command say, and print it. Raises InputError."""
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
    scenario = Scenario(openings=options["openings"], until_settled=level)
    if options["folder"] is not None:
        scenario = scenario_of(Session.read(options["folder"]), scenario)
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
                f"{games:,} games are too large to be simulated; {MOST_GAMES:,} is the most"
            )
    return scenarios


def _simulated(
    scenario: Scenario, classes: int, seed: int, lanes: int | None
) -> list[tuple[Row, ...]]:
    """Simulate classes on all lanes, and show how far it is and what it took."""
    console, done = screen(stderr=True), []
    students = counted(scenario.population.players, "student")
    rows = simulate_classes(scenario, classes, seed, lanes or len(os.sched_getaffinity(0)))
    started = perf_counter_ns()
    try:
        for each in tracked(rows, f"{students}: simulated", classes, "classes", console):
            done.append(each)
    except KeyboardInterrupt:
        console.print(f"stopped after {len(done):,} of {classes:,} classes of {students}")
        raise
    spent, most = duration(perf_counter_ns() - started), getrusage(RUSAGE_CHILDREN).ru_maxrss
    console.print(f"{students}: {classes:,} classes in {spent}, {most // 1024:,} MB a process")
    return done


def _plain(scenario: Scenario, classes: Sequence[tuple[Row, ...]]) -> dict[str, Any]:
    """Return a scenario and all its figures as plain values."""
    population, rows = scenario.population, means(classes)
    plain = [asdict(row) for row in rows]
    if len(classes) > 1:
        for row, errors in zip(plain, standard_errors(classes), strict=True):
            row["standard_errors"] = {
                name: value
                for name, value in asdict(errors).items()
                if name not in ("openings", "until_settled")
            }
    for row, figures in zip(plain, rows, strict=True):
        if figures.until_settled:
            error = figures.order.rank_error
            row["round_robin_games"] = round_robin_games(rows, error)
    advice = {rule: advised(rows, rule) for rule in rows[0].grades}
    return {
        **asdict(population),
        "house": dict(zip(scenario.house, population.house, strict=True)),
        "rows": plain,
        "advice": {rule: row.openings if row else None for rule, row in advice.items()},
    }


def _show(scenario: Scenario, rows: Sequence[Row], options: Mapping[str, Any]) -> None:
    """Print the tables of a scenario, and the advice."""
    console = screen()
    drawn = scenario.population
    console.print(
        f"{counted(drawn.players, 'student')} and {counted(len(scenario.house), 'house player')}; "
        f"strengths spread by {drawn.spread:.0f} Elo, those in one opening by {drawn.suits:.0f}, "
        f"openings' advantage by {drawn.bias:.0f}, "
        f"{drawn.draws:.0%} draws between equals"
        + f", {drawn.repeats:.0%} repeats" * bool(drawn.repeats)
        + f"; {options['classes']:,} classes, seed {options['seed']}"
    )
    console.print(_order_table(rows))
    console.print(_grades_table(rows))
    console.print(LEGEND)
    for line in (*_savings(rows), *_advice(scenario, rows)):
        console.print(line)


LEGEND = (
    "± Elo: half of a rating's 95 % interval. Rating, gap holds: share of these intervals that "
    "contain the true rating, or the true difference of two students. Rank off: ranks from the "
    "true one. Rank range: ranks in the range of the table. Wrong order: neighbours of whom the "
    "lower is the better. Wrong grades: not those that the true strengths would get."
)
"""Explains the titles of the tables."""


def _order_table(rows: Sequence[Row]) -> Table:
    table = Table(header_style="bold")
    titles = (
        "openings",
        "games",
        "± Elo",
        "rating\nholds",
        "gap\nholds",
        "rank\noff",
        "rank\nrange",
        "wrong\norder",
    )
    for title in titles:
        table.add_column(title, justify="right")
    for row in rows:
        order = row.order
        table.add_row(
            _openings(row),
            f"{row.games:,.0f}",
            f"{order.rating_error:.0f}",
            f"{order.rating_coverage:.1%}",
            f"{order.difference_coverage:.1%}",
            f"{order.rank_error:.2f}",
            f"{order.ranks:.1f}",
            f"{order.neighbours_wrong:.1%}",
        )
        if row.openings == rows[-1].openings:
            table.add_section()
    return table


def _openings(row: Row) -> str:
    """Write a number of openings; `≤ 10` where a contest can end before them."""
    return f"{'≤ ' * row.until_settled}{row.openings:,}"


def _grades_table(rows: Sequence[Row]) -> Table:
    table = Table(header_style="bold")
    titles = (
        "grades by",
        "openings",
        "wrong",
        "by more than\none point",
        "other with\nanother seed",
    )
    for title in titles:
        table.add_column(title, justify="left" if title == titles[0] else "right")
    for rule in rows[0].grades:
        graded = [row for row in rows if rule in row.grades]
        for row in graded:
            errors = row.grades[rule]
            table.add_row(
                rule if row is rows[0] else "",
                _openings(row),
                f"{errors.wrong:.1%}",
                f"{errors.far:.1%}",
                f"{errors.changed:.1%}",
                end_section=row is graded[-1],
            )
    return table


def _savings(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each contest that ends when it is settled: the games that it saves."""
    for row in rows:
        needed = round_robin_games(rows, row.order.rank_error)
        if row.until_settled and needed is not None:
            yield (
                f"Until settled, with {counted(row.openings, 'opening')} at most: {row.games:,.0f} "
                f"games; a round robin with ranks as good has {needed:,.0f}, so "
                f"{1 - row.games / needed:.0%} are saved."
            )


def _advice(scenario: Scenario, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines that say how many openings to take."""
    students = counted(scenario.population.players, "student")
    yield (
        f"{WANTED:.0%} of the grades are within one point of those that the true strengths would "
        f"get, if you take for {students}"
    )
    for rule in rows[0].grades:
        row = advised(rows, rule)
        if row is None:
            last = [row for row in rows if not row.until_settled][-1]
            near = 1 - last.grades[rule].far
            yield f"  graded by {rule}: more than {last.openings} openings ({near:.1%} there)"
        else:
            errors, openings = row.grades[rule], counted(row.openings, "opening")
            yield (
                f"  graded by {rule}: {openings}, {row.games:,.0f} games ({1 - errors.far:.1%}; "
                f"another seed changes {errors.changed:.1%})"
            )
