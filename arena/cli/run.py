"""`arena run`, `arena resume`: a contest from its bots to its tables."""

from __future__ import annotations

import shlex
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console

from arena.cli.before import dry_run, refuse
from arena.cli.options import (
    contest_from,
    lane_cores,
    log_json,
    on_cluster,
    one_bot,
    run_options,
    runs_bots,
)
from arena.cli.rank import print_tables, say_repaired
from arena.cli.screen import ConsoleHandler, Interruption, ready_engine, screen, tallied
from arena.contest import LaneExecutor, Lanes, Session, pairings
from arena.contest.driver import tail_told
from arena.contest.rehearsal import time_bots, untimed
from arena.engine.ready import begin_compiling
from arena.errors import StorageError
from arena.intake import HOUSE, house_folder
from arena.intake.imports import missing_imports, packages_line
from arena.numbers import counted
from arena.report.progress import Progress


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@run_options
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@on_cluster
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
@log_json
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
    cluster: str | None,
    one_bot: bool,
    out: Path | None,
    only_estimate: bool,
    log_json: bool,
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
            return dry_run(session, lanes, log_json, as_json)
        session.folder.create()
        return _play(session, lanes, cluster, log_json, as_json, interruption)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@on_cluster
@runs_bots
@log_json
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def resume(
    folder: Path, lanes: int | None, cluster: str | None, log_json: bool, as_json: bool
) -> int:
    """Play what is missing from a contest, with its own rules and its own copies of the bots.

    \b
    Example:
      arena resume results/homework4
    """
    with Interruption(NOT_BEGUN) as interruption:
        session = Session.open(folder)
        session.folder.create()
        return _play(session, lanes, cluster, log_json, as_json, interruption)


NOT_BEGUN = "stopped before the first game; type the same command to start again"


def _default_bots() -> Path:
    """Return `bots/` here, else the demo bots that come with Arena."""
    here = Path("bots")
    return here if here.is_dir() else house_folder()


def _play(
    session: Session,
    lanes: int | None,
    cluster: str | None,
    log_json: bool,
    as_json: bool,
    interruption: Interruption,
) -> int:
    """Play what is missing, and print the tables; returns the exit code."""
    console = screen(stderr=True)
    again = "resume" + (f" --cluster {shlex.quote(cluster)}" if cluster else "")
    with session.going_on(again), session.folder.locked():
        played = play(
            session,
            lanes,
            console,
            interruption,
            f"arena {again} {shlex.quote(str(session.folder.path))}",
            log_json=log_json,
            cluster=cluster,
        )
        print_tables(session, as_json)
        if not session.folder.is_writable:  # the screen has the tables, their files are as before
            raise StorageError(f"{session.folder.path}: cannot be written to")
    say_given_up(session, played)
    return int(bool(played.given_up))


class Played(NamedTuple):
    """The games of one go."""

    games: int
    """Number of games that were played."""

    given_up: list[str]
    """A line for each reason why games were given up."""


def play(
    session: Session,
    lanes: int | None,
    console: Console,
    interruption: Interruption,
    again: str,
    *,
    log_json: bool,
    cluster: str | None = None,
) -> Played:
    """Play what is missing, once the bots are looked at; `again` is the command to go on with.

    The folder is locked. Raises InputError, StorageError.
    """
    if not session.submissions:
        session.bring_up_to_date()
    for remark in session.remarks:
        console.print(remark, style="yellow", markup=False)
    session.snapshot()
    if session.contest.needs_engine:
        ready_engine(console)
    else:
        begin_compiling()  # for what comes after: an analysis, a page with the worth of moves
    opening = _executor(session, lanes, cluster)
    with session.at_work(opening, ConsoleHandler(console), log_json=log_json) as executor:
        if session.submissions:
            if line := packages_line(map(missing_imports, session.submissions.values())):
                console.print(line, style="yellow", markup=False)
            refuse(session, executor, console)
        interruption.said = f"stopped; every finished game is kept. Go on with:\n  {again}"
        return _play_missing(session, executor, console)


def say_given_up(session: Session, played: Played) -> None:
    """Say why games were given up, if some were."""
    for said in played.given_up:
        screen(stderr=True).print(f"{said}; see {session.folder.log}", style="red", markup=False)


def _executor(
    session: Session, lanes: int | None, cluster: str | None
) -> AbstractContextManager[LaneExecutor]:
    """Return the lanes of this machine, or of a cluster. Raises InputError."""
    if cluster is None:
        return Lanes(lane_cores(lanes, session.contest.limits))
    if lanes is not None:
        raise click.UsageError("--lanes is for this machine; a cluster has those of its workers")
    from arena.cluster import Place, open_cluster, terms_of

    return open_cluster(Place.parse(cluster), terms_of(session))


def _play_missing(session: Session, executor: LaneExecutor, console: Console) -> Played:
    """Play what is missing."""
    contest, folder = session.contest, session.folder
    if contest.draws_openings and not folder.openings.exists():
        console.print(f"looking for {contest.schedule.openings} openings that are fair")
    games = 0
    with session.run(executor) as run:
        say_repaired(folder)
        _headline(console, session, run.missing)
        for _ in tallied(
            time_bots(session, run, executor), "timed", len(untimed(session, run)), console
        ):
            pass
        with Progress.of(session, run, console, executor.lanes) as progress:
            for records in run:
                games += len(records)
                progress.update(records, run.retired, run.under_way())
            progress.update([], run.retired, [])
        if said := tail_told(run.tail_seconds):
            console.print(said, markup=False)
    return Played(games, run.not_played())


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
