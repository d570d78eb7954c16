"""`arena run` and `arena resume`: a contest from its bots to its tables."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console

from arena.cli.files import ANY_PATH
from arena.cli.options import (
    NEVER,
    contest_from,
    end_of,
    executing,
    executor_words,
    on_executors,
    one_bot,
    run_options,
    runs_bots,
    time_options,
)
from arena.cli.rank import print_tables
from arena.cli.screen import Interruption, ready_engine, remark, screen, tracked
from arena.common.errors import StorageError
from arena.common.text import counted, listed, quote
from arena.contest.estimate import estimate
from arena.contest.index import MOST_PAIRS
from arena.contest.session import Session
from arena.engine.machine_code import Piece, begin_compiling
from arena.intake.facts import needed_imports, package_uses
from arena.intake.house_players import demo_bots
from arena.playing.driver import LaneExecutor
from arena.report.check import install_line, package_table
from arena.report.screen.progress import Progress, end_line, estimate_record, slow_lines, time_line
from arena.settings.contest import Contest, pairings

BOTS = Path("bots")  # Where bots are looked for if no path is given.


@click.command()
@click.argument("paths", nargs=-1, type=ANY_PATH)
@run_options
@on_executors
@one_bot
@runs_bots
@click.option(
    "--out",
    type=ANY_PATH,
    metavar="results/NAME",
    help="The contest's folder; where it exists, the missing games are played. Default: a new one "
    "in results/, named after date and time.",
)
@click.option(
    "--dry-run",
    "only_estimate",
    is_flag=True,
    help="Play no games: try the bots, and estimate the time of the contest.",
)
@click.option("--no-house", is_flag=True, help="Leave out Arena's own players, such as random.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the leaderboard as JSON; with --dry-run the estimate.",
)
def run(
    paths: tuple[Path, ...],
    one_bot: bool,
    out: Path | None,
    only_estimate: bool,
    no_house: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Play a contest among the bots in PATHS.

    A path is a bot (a .py file or a folder with one), a folder of bots, or a house player's name.
    Arena prints how it reads a folder; --one-bot, or a list of files, overrides this. Some house
    players enter every contest unless --no-house is given. Without PATHS the bots are those in
    bots/ here, or else the demo bots. In the folder of an earlier contest, options keep their
    values unless given again. By default a seed is drawn that no bot can guess; it is printed and
    stored in the folder's contest.toml.

    \b
    Example:
      arena run submissions --preset cs4100 --openings 5 --out results/homework4
    """
    name = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    with Interruption(NOT_BEGUN) as interruption:
        session = Session.enter(
            out or Path("results") / name,
            paths or ((BOTS,) if BOTS.is_dir() else tuple(demo_bots().values())),
            lambda base: contest_from(base, options),
            house=not no_house,
            one_bot=one_bot,
        )
        if not (paths or BOTS.is_dir()):
            remark(f"no PATHS, and no folder {BOTS} here: the demo bots play")
        if only_estimate:
            return dry_run(session, as_json)
        session.folder.create()
        return _play(session, as_json, interruption)


@click.command()
@click.argument("folder", type=ANY_PATH)
@time_options
@on_executors
@runs_bots
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def resume(folder: Path, as_json: bool, **options: Any) -> int:
    """Play a contest's missing games, with its own rules and copies of the bots.

    \b
    Example:
      arena resume results/homework4
      arena resume results/homework4 --within 2h
    """
    end = end_of(options)
    with Interruption(NOT_BEGUN) as interruption:
        session = Session.open(folder)
        session.folder.create()
        if end is not None:
            with session.folder.locked():
                session.play_until(None if end == NEVER else end)
        return _play(session, as_json, interruption)


NOT_BEGUN = "stopped before the first game; type the same command to start again"


def _play(session: Session, as_json: bool, interruption: Interruption) -> int:
    console = screen(stderr=True)
    again = " ".join(map(quote, ["resume", *executor_words()]))
    with session.continuable(again), session.folder.locked():
        played = play(
            session,
            console,
            interruption,
            f"arena {again} {quote(str(session.folder.path))}",
        )
        print_tables(session, as_json)
        if not session.folder.is_writable:  # the tables were printed, but not written
            raise StorageError(f"{session.folder.path}: cannot be written to")
    print_not_played(session, played)
    return int(bool(played.abandoned))


class RunOutcome(NamedTuple):
    games: int
    abandoned: list[str]


def play(
    session: Session,
    console: Console,
    interruption: Interruption,
    again: str,
) -> RunOutcome:
    """Check the bots, then play what a locked folder lacks; `again` would continue it.

    Raises InputError, StorageError.
    """
    if not session.submissions:
        session.bring_up_to_date()
    for text in session.remarks:
        console.print(text, style="yellow", markup=False)
    session.snapshot()
    ready_engine(console, (Piece.SEARCH,) * session.contest.draws_openings)
    begin_compiling(session.contest.engine, soon=True)
    if last := listed(session.uncompiled()):
        console.print(f"compiling Arena's engine, once, beyond the estimate; {last} play last")
    with executing(session, console) as executor:
        if session.submissions:
            _print_packages(session, console)
            refuse(session, executor, console)
        interruption.said = f"stopped; every finished game is kept. Continue with:\n  {again}"
        played = _play_missing(session, executor, console)
    begin_compiling()  # the rest, for a later analysis
    return played


def _print_packages(session: Session, console: Console) -> None:
    allowed = session.contest.packages.allow
    uses = package_uses((needed_imports(s, allowed) for s in session.submissions.values()), allowed)
    if any(use.bots and not use.version for use in uses):
        console.print(package_table(uses))
        console.print(install_line(uses), style="yellow", markup=False, soft_wrap=True)


def print_not_played(session: Session, played: RunOutcome) -> None:
    for said in played.abandoned:
        screen(stderr=True).print(f"{said}; see {session.folder.log}", style="red", markup=False)


def _play_missing(session: Session, executor: LaneExecutor, console: Console) -> RunOutcome:
    contest, folder = session.contest, session.folder
    if contest.draws_openings and not folder.openings.exists():
        console.print(f"looking for {counted(contest.pool_size, 'fair opening')}")
    games = 0
    with session.run(executor) as run:
        remark(*folder.repairs)
        folder.repairs.clear()
        _headline(console, session, run.missing)
        with Progress.of(session, run, console, executor.lanes) as progress:
            for records in run:
                games += len(records)
                progress.update(records, run.retired, run.running())
            progress.update([], run.retired, [])
    return RunOutcome(games, run.not_played())


def _plan(contest: Contest, openings: int, missing: int) -> str:
    pairs = len(pairings(contest))
    at_most = "at most " * contest.schedule.in_rounds
    return (
        f"{len(contest.playing):,} bots, {counted(pairs, 'pairing')} × "
        f"{counted(openings, 'opening')} × 2 sides = {at_most}{2 * pairs * openings:,} games, "
        f"{missing:,} to play"
    )


def _headline(console: Console, session: Session, missing: int) -> None:
    contest, openings = session.contest, session.games.openings
    console.print(
        f"{session.folder.path}: {_plan(contest, openings, missing)}"
        f"{' in this round' * contest.schedule.in_rounds}\n"
        f"{contest.rules}; {contest.limits}; seed {contest.schedule.seed}",
        markup=False,
    )
    for name, bot in contest.playing.items():
        own = bot.entry_point.options.get("nodes")
        if bot.entry_point.engine is not None and own is not None and own != contest.limits.nodes:
            console.print(f"{name} has its own budget: {own:,} nodes", markup=False)
    if missing and (line := end_line(contest, datetime.now(UTC))):
        console.print(line, markup=False)
    if openings < contest.schedule.openings:
        is_large = (
            contest.schedule.in_rounds and (openings + 1) * len(pairings(contest)) > MOST_PAIRS
        )
        console.print(
            f"{'with this many bots, a pairing plays' if is_large else 'this board has'} "
            f"only {counted(openings, 'fair opening')} of the "
            f"{contest.schedule.openings} asked for",
            style="yellow",
        )


UNKNOWN = "no estimate is possible: no bot was tried, and no game was played"


def dry_run(session: Session, as_json: bool) -> int:
    """Try the bots, print how long the contest would take, and return the exit code."""
    console = screen(stderr=True)
    with session.rehearsal() as (rehearsed, records):
        remark(*session.remarks)
        ready_engine(console, rehearsed.contest.engine)
        with executing(rehearsed, console) as executor:
            refuse(rehearsed, executor, console)
        plan = rehearsed.plan(records, executor.lanes)
    contest, found = rehearsed.contest, estimate(plan)
    games = sum(plan.games.values())
    pairs, openings = len(pairings(contest)), contest.schedule.openings
    at_most = contest.schedule.in_rounds
    if as_json:
        facts = {
            "bots": len(contest.playing),
            "pairings": pairs,
            "openings": openings,
            "games": 2 * pairs * openings,
            "to_play": games,
            "lanes": plan.lanes,
            "at_most": at_most,
        }
        click.echo(json.dumps(estimate_record(found, **facts), indent=2))
        return 0
    out = screen()
    out.print(_plan(contest, openings, games))
    if found is None:
        out.print(UNKNOWN if games else "nothing to play")
        return 0
    end = end_line(contest, datetime.now(UTC))
    for line in (time_line(found, contest.schedule), *filter(None, [end]), *slow_lines(found)):
        out.print(line, markup=False)
    return 0


def refuse(session: Session, executor: LaneExecutor, console: Console) -> None:
    """Leave out bots that cannot play here. Raises InputError if too few are left."""
    try:
        to_look_at = len(session.to_look_at())
        for _ in tracked(session.refuse(executor), "tried", to_look_at, "bots", console):
            pass
    finally:
        for name, why in session.contest.left_out.items():
            console.print(f"{name} does not take part: it {why}", style="yellow", markup=False)
