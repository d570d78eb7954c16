"""Before the first game: looking at the bots, and `arena run --dry-run`."""

from __future__ import annotations

import json

import click
from rich.console import Console

from arena.cli.options import lane_cores
from arena.cli.screen import ConsoleHandler, ready_engine, screen, tallied
from arena.contest import LaneExecutor, Lanes, Session, pairings
from arena.contest.estimate import estimate, savings
from arena.contest.rehearsal import rehearsal, rehearsed_plan
from arena.numbers import counted
from arena.report.estimate import estimate_record, saving_lines, slow_lines, time_line

UNKNOWN = "no bot's time is known: none was tried, and no game was played"


def dry_run(session: Session, lanes: int | None, log_json: bool, as_json: bool) -> int:
    """Look at the bots as before a contest, and print what it would take; returns the exit code.

    Raises InputError and StorageError as the contest would.
    """
    console = screen(stderr=True)
    with rehearsal(session) as (rehearsed, records):
        for remark in session.remarks:
            console.print(remark, style="yellow", markup=False)
        if rehearsed.contest.needs_engine:
            ready_engine(console)
        cores = lane_cores(lanes, rehearsed.contest.limits)
        handler = ConsoleHandler(console)
        with rehearsed.at_work(Lanes(cores), handler, log_json=log_json) as executor:
            refuse(rehearsed, executor, console)
        plan = rehearsed_plan(rehearsed, records, len(cores))
    contest, found = rehearsed.contest, estimate(plan)
    less = list(savings(plan, contest.schedule.openings))
    games = sum(plan.games.values())
    pairs, openings = len(pairings(contest)), contest.schedule.openings
    at_most = bool(contest.schedule.until_settled)
    if as_json:
        facts = {
            "bots": len(contest.playing),
            "pairings": pairs,
            "openings": openings,
            "games": 2 * pairs * openings,
            "to_play": games,
            "lanes": len(cores),
            "at_most": at_most,
        }
        click.echo(json.dumps(estimate_record(found, less, **facts), indent=2))
        return 0
    out = screen()
    out.print(
        f"{len(contest.playing):,} bots, {counted(pairs, 'pairing')} × "
        f"{counted(openings, 'opening')} × 2 sides = {'at most ' * at_most}"
        f"{2 * pairs * openings:,} games, "
        f"{games:,} to play"
    )
    if found is None:
        out.print(UNKNOWN if games else "nothing to play")
        return 0
    lines = (time_line(found, at_most=at_most), *slow_lines(found))
    for line in (*lines, *saving_lines(less, at_most)):
        out.print(line, markup=False)
    return 0


def refuse(session: Session, executor: LaneExecutor, console: Console) -> None:
    """Leave out the bots that cannot play on the board. Raises InputError if too few are left."""
    try:
        to_look_at = len(session.to_look_at())
        for _ in tallied(session.refuse(executor), "tried", to_look_at, console):
            pass
    finally:
        for name, why in session.contest.left_out.items():
            console.print(f"{name} does not take part: it {why}", style="yellow", markup=False)
