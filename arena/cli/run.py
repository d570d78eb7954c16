"""`arena run`, `arena resume`: a contest from its bots to its tables."""

from __future__ import annotations

import shlex
from concurrent.futures import Executor
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.cli.before import dry_run, refuse
from arena.cli.options import contest_from, lane_cores, one_bot, run_options, runs_bots
from arena.cli.rank import print_tables, say_mended
from arena.cli.screen import ConsoleHandler, Interruption, ready_engine, screen
from arena.contest import Session, pairings
from arena.intake import HOUSE, house_folder
from arena.numbers import counted
from arena.report.progress import Progress


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@run_options
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@one_bot
@runs_bots
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=True),
    metavar="results/NAME",
    help="The contest's folder; where it exists, the missing games are played. Default: a new one "
    "in results/, named after date and time.",
)
@click.option(
    "--dry-run",
    "only_estimate",
    is_flag=True,
    help="Play nothing: try the bots, and say how long the contest would take.",
)
@click.option("--no-house", is_flag=True, help=f"Leave out the house players: {', '.join(HOUSE)}.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the leaderboard as JSON; with --dry-run the estimate.",
)
def run(
    paths: tuple[Path, ...],
    lanes: int | None,
    one_bot: bool,
    out: Path | None,
    only_estimate: bool,
    no_house: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Play a contest among the bots in PATHS.

    A path is a bot (a .py file or a folder with one), a folder of bots (Arena says how it reads a
    folder; --one-bot, or naming its files, overrides that), or a house player's name: those that
    --no-house leaves out enter every contest, the others where they are named. Without PATHS the
    bots are those in bots/ here, or else the demo bots. In the folder of an earlier contest,
    options that are not given stay as they were. Without a seed one is drawn that no bot can
    guess; it is printed, and stands in the folder's contest.toml.

    \b
    Example:
      arena run submissions --preset cs4100 --openings 5 --out results/homework4
    """
    name = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    with Interruption(NOT_BEGUN) as interruption:
        session = Session.enter(
            out or Path("results") / name,
            paths or (_default_bots(),),
            lambda base: contest_from(base, options),
            house=not no_house,
            one_bot=one_bot,
        )
        if only_estimate:
            return dry_run(session, lanes, as_json)
        session.folder.create()
        return _play(session, lanes, as_json, interruption)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@runs_bots
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def resume(folder: Path, lanes: int | None, as_json: bool) -> int:
    """Play what is missing from a contest, with its own rules and its own copies of the bots.

    \b
    Example:
      arena resume results/homework4
    """
    with Interruption(NOT_BEGUN) as interruption:
        session = Session.open(folder)
        session.folder.create()
        return _play(session, lanes, as_json, interruption)


NOT_BEGUN = "stopped before the first game; type the same command to start again"


def _default_bots() -> Path:
    """Return `bots/` here, else the demo bots that come with Arena."""
    here = Path("bots")
    return here if here.is_dir() else house_folder()


def _play(session: Session, lanes: int | None, as_json: bool, interruption: Interruption) -> int:
    """Play what is missing, and print the tables; returns the exit code."""
    console = screen(stderr=True)
    with session.going_on(), session.folder.locked():
        if not session.submissions:
            session.bring_up_to_date()
        for remark in session.remarks:
            console.print(remark, style="yellow", markup=False)
        session.snapshot()
        if session.contest.needs_engine:
            ready_engine(console)
        cores = lane_cores(lanes, session.contest.limits)
        with session.at_work(cores, ConsoleHandler(console)) as executor:
            if session.submissions:
                refuse(session, executor, len(cores), console)
            interruption.said = (
                "stopped; every finished game is kept. Go on with:\n"
                f"  arena resume {shlex.quote(str(session.folder.path))}"
            )
            not_played = _play_missing(session, executor, len(cores), console)
        print_tables(session, as_json)
    for said in not_played:
        console.print(f"{said}; see {session.folder.log}", style="red", markup=False)
    return int(bool(not_played))


def _play_missing(session: Session, executor: Executor, lanes: int, console: Console) -> list[str]:
    """Play what is missing; returns a line for each reason why games were given up."""
    contest, folder = session.contest, session.folder
    if contest.draws_openings and not folder.openings.exists():
        console.print(f"looking for {contest.schedule.openings} openings that are fair")
    with session.run(executor, lanes) as run:
        say_mended(folder)
        _headline(console, session, len(run.missing))
        with Progress.of(session, run, console, lanes) as progress:
            for records in run:
                progress.update(records, run.retired, run.under_way())
    return run.not_played()


def _headline(console: Console, session: Session, missing: int) -> None:
    """Print what is about to be played."""
    contest, games = session.contest, session.games
    pairs = len(pairings(contest))
    openings = len(games) // (2 * pairs)
    at_most = "at most " if contest.schedule.until_settled else ""
    plan = f"{len(contest.playing):,} bots, {counted(pairs, 'pairing')} × "
    plan += f"{counted(openings, 'opening')} × 2 sides"
    console.print(
        f"{session.folder.path}: {plan} = {at_most}{len(games):,} games, {missing:,} to play"
        f"{' in a first round' * bool(at_most)}\n"
        f"{contest.rules}; {contest.limits}; seed {contest.schedule.seed}",
        markup=False,
    )
    for name, bot in contest.playing.items():
        own = bot.entry_point.options.get("nodes")
        if bot.entry_point.engine is not None and own is not None and own != contest.limits.nodes:
            console.print(f"{name} has a budget of its own: {own:,} nodes", markup=False)
    if openings < contest.schedule.openings:
        console.print(
            f"this board has only {openings} fair openings of the "
            f"{contest.schedule.openings} asked for",
            style="yellow",
        )
