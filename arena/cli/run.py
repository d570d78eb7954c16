"""`arena run`, `arena resume`: a contest from its bots to its tables."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console

from arena.cli.logs import logged
from arena.cli.options import contest_from, lane_cores, one_bot, run_options, runs_bots
from arena.cli.rank import print_tables, say_mended
from arena.cli.screen import ready_engine, screen, tallied
from arena.contest import (
    BotEntry,
    Contest,
    ContestFolder,
    Format,
    Lanes,
    Run,
    Schedule,
    ScheduledGame,
    brought_up_to_date,
    draw_seed,
    enter,
    names_by_source,
    pairings,
    require_a_bot_of,
    wishes,
)
from arena.errors import InputError, StorageError
from arena.intake import (
    A_BOT,
    HOUSE,
    Roster,
    Submission,
    default_name,
    find_roster,
    house_folder,
    house_submissions,
)
from arena.intake.duplicates import duplicates
from arena.preflight import find_refusals, known_refusals, refused, untried
from arena.quoting import one_line
from arena.referee import Limits
from arena.report.progress import Progress
from arena.rules import line_table

MAX_ACCOUNT = 2000
"""Characters of the longest line in the log about what was done with a bot."""


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
    help="The contest's folder; on one that exists, what is missing is played. Default: a new one "
    "in results/, named after date and time.",
)
@click.option("--no-house", is_flag=True, help=f"Leave out the house players: {', '.join(HOUSE)}.")
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def run(
    paths: tuple[Path, ...],
    lanes: int | None,
    one_bot: bool,
    out: Path | None,
    no_house: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Play a contest among the bots in PATHS.

    A path is a bot (a .py file or a folder with one), a folder of bots (how a folder is read is
    said, and --one-bot or naming its files has it read otherwise), or a house player's name
    (random and reference enter every contest; greedy, novice, master and perfect where they are
    named). Without PATHS the bots are those in bots/ here, or else the demo bots. In the folder of
    an earlier contest, options that are not given stay as they were. Without a seed one is drawn
    that no bot can guess; it is printed, and stands in the folder's contest.toml.

    \b
    Example:
      arena run submissions --preset cs4100 --openings 5 --out results/homework4
    """
    folder = ContestFolder(out or Path("results") / datetime.now().strftime("%Y-%m-%d-%H%M%S"))
    before = folder.read() if folder.is_contest else None
    known = names_by_source(before) if before else {}
    roster = find_roster(paths or (_default_bots(),), known, one_bot=one_bot)
    base = Contest(schedule=Schedule(seed=draw_seed()))
    if before:
        there = {*HOUSE, *(bot.name for bot in (*roster.submissions, *roster.house))}
        kept = {name: wish for name, wish in wishes(before).items() if name in there}
        base = replace(before, bots=kept)
    contest, submissions = _enter(contest_from(base, options), roster, paths, no_house)
    if before:
        require_a_bot_of(before, folder.path, roster)
    console = screen(stderr=True)
    folder.create()
    for remark in (*_remarks(roster, submissions), *_changes(folder, before, contest)):
        console.print(remark, style="yellow", markup=False)
    with going_on(folder, "resume"), folder.locked():
        folder.keep(submissions.values())
        if contest.needs_engine:
            ready_engine(console)
        with at_work(folder, lanes, console, contest.limits) as under_way:
            contest = _tried(folder, contest, before, submissions, under_way, console)
            folder.write(contest, submissions.values())
            games, not_played = _play(folder, contest, under_way, console)
        return _told(folder, contest, games, not_played, as_json)


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
    contest_folder = ContestFolder(folder)
    contest = contest_folder.read()
    contest_folder.create()
    console = screen(stderr=True)
    with going_on(contest_folder, "resume"), contest_folder.locked():
        contest, changed = brought_up_to_date(contest)
        if changed:
            contest_folder.write(contest, changed.values())
            said = "are of another version of Arena, so their games are played again"
            console.print(f"{', '.join(changed)}: these {said}", style="yellow", markup=False)
        if contest.needs_engine:
            ready_engine(console)
        with at_work(contest_folder, lanes, console, contest.limits) as under_way:
            games, not_played = _play(contest_folder, contest, under_way, console)
        return _told(contest_folder, contest, games, not_played, as_json)


def _remarks(roster: Roster, entered: Mapping[str, Submission]) -> Iterator[str]:
    """What happened to files and names on the way from the paths to the roster."""
    yield from roster.readings
    for ignored in roster.ignored:
        yield f"left out: {ignored}"
    for bot in roster.submissions:
        if bot.name != default_name(bot.source):
            yield one_line(f"{bot.source} takes part as {bot.name}")
    yield from duplicates(roster.submissions)
    for bot in entered.values():
        if bot.choice is not None:
            yield one_line(f"{bot.name}: {bot.choice}")


def _changes(folder: ContestFolder, before: Contest | None, now: Contest) -> Iterator[str]:
    """What differs from the contest that the folder held, beyond its bots and openings."""
    if before and (before.rules, before.limits) != (now.rules, now.limits):
        yield (
            f"{folder.path} held a contest on other terms ({before.rules}; {before.limits}); "
            "its games stay in the journal but no longer count"
        )
    if not line_table(now.rules).lines:
        yield f"no line of {now.rules.connect} fits on this board: no game can be won"


def _default_bots() -> Path:
    """`bots/` here, else the demo bots that come with Arena."""
    here = Path("bots")
    return here if here.is_dir() else house_folder()


def _enter(
    contest: Contest, roster: Roster, paths: tuple[Path, ...], no_house: bool
) -> tuple[Contest, dict[str, Submission]]:
    """The contest with its bots. Raises InputError if there are too few."""
    where = ", ".join(map(str, paths)) or "bots"
    if not roster.submissions and not roster.house:
        raise InputError(f"{where}: no bots here; a bot is {A_BOT}")
    if no_house and contest.schedule.format is Format.GAUNTLET:
        raise InputError("--format gauntlet: needs the house players; leave out --no-house")
    house = (*(() if no_house else house_submissions()), *roster.house)
    entered, submissions = enter(contest, roster.submissions, house)
    if len(submissions) < 2:
        (name,) = submissions
        said = roster.readings[0] if roster.readings else f"{where}: only one bot ({name})"
        raise InputError(f"{said}; a contest needs two")
    return entered, submissions


@contextmanager
def going_on(folder: ContestFolder, command: str) -> Iterator[None]:
    """Say how to go on where a disk or a folder cannot be used any further."""
    path = folder.path
    try:
        yield
    except BrokenPipeError:
        raise
    except (StorageError, InputError, OSError) as error:
        again = "type the same command again"
        if not path.is_dir():
            said = f"{path}: the folder is gone, and the games with it; put it back, or start again"
            raise StorageError(said) from None
        if isinstance(error, InputError):
            raise
        if folder.is_contest:
            again = f"go on with: arena {command} {shlex.quote(str(path))}"
        what = (
            f"{error.filename or path}: {error.strerror}" if isinstance(error, OSError) else error
        )
        raise StorageError(
            f"{what}; what was finished is kept. Once that is mended {again}"
        ) from None


@contextmanager
def at_work(
    folder: ContestFolder, lanes: int | None, console: Console, limits: Limits | None = None
) -> Iterator[UnderWay]:
    """Lanes, on which bots with these limits run, or none; and the log of what happens there."""
    cores = lane_cores(lanes, limits)
    with (
        logged(folder.log, console) as log,
        Lanes(cores, bots=limits is not None) as executor,
    ):
        yield UnderWay(executor, cores, log)


class UnderWay(NamedTuple):
    """What a contest is played with."""

    executor: Lanes
    cores: list[int]
    log: logging.Logger


def _tried(
    folder: ContestFolder,
    contest: Contest,
    before: Contest | None,
    submissions: Mapping[str, Submission],
    under_way: UnderWay,
    console: Console,
) -> Contest:
    """The contest without the bots that cannot play on its board; those not known are tried.

    What was done with each bot goes to the log. Raises InputError if too few are left.
    """
    executor, cores, log = under_way
    known = known_refusals(contest, before, folder.snapshots)
    bots = untried(contest, known, folder.snapshots)
    try:
        trying = find_refusals(bots, contest, executor, len(cores))
        known |= tallied(trying, "tried", len(bots), console)
    except KeyboardInterrupt:
        console.print("stopped before the first game; type the same command to start again")
        raise
    contest = refused(contest, known, folder.snapshots)
    for name, bot in submissions.items():
        log.info("%s", _account(name, bot, contest.bots[name]))
    for name, why in contest.refused.items():
        console.print(f"{name} does not take part: it {why}", style="yellow", markup=False)
    if len(contest.playing) < 2:
        left = ", ".join(contest.playing) or "no bot"
        raise InputError(f"only {left} can play on this board; a contest needs two")
    return contest


def _account(name: str, bot: Submission, entry: BotEntry) -> str:
    """What was handed in under a name, how it is entered and what was done with it, in a line."""
    entered = f", {bot.interface}: {bot.entry} of {bot.file_as_known}" if bot.interface else ""
    facts = [f"{name} is {bot.source}{entered}"]
    facts += (*bot.notes, *filter(None, [bot.choice]))
    if bot.problem is not None:
        facts.append(f"it could not be loaded: {bot.problem}")
    if entry.refused is not None:
        facts.append(f"it does not take part: it {entry.refused}")
    return one_line("; ".join(facts), MAX_ACCOUNT)


def _play(
    folder: ContestFolder, contest: Contest, under_way: UnderWay, console: Console
) -> tuple[list[ScheduledGame], list[str]]:
    """Play what is missing; returns all games, and what to say of those that were given up."""
    executor, cores, log = under_way
    try:
        if contest.draws_openings and not folder.openings.exists():
            console.print(f"looking for {contest.schedule.openings} openings that are fair")
        games = folder.games(contest)
        journal = folder.journal()
        if folder.mended:
            log.info("%s", folder.mended)
        say_mended(folder)
        going = Run(games, journal, executor, len(cores), contest.schedule.retire_after)
        _headline(console, folder, contest, games, len(going.missing))
        log.info("playing %d games on cores %s", len(going.missing), cores)
        wanted = {game.key.digest for game in games}
        known = (record for record in journal.records() if record.key in wanted)
        with Progress(games, known, going.retired, console) as progress:
            for records in going:
                progress.update(records, going.retired, going.longest_under_way())
        journal.close()
        log.info("done")
    except KeyboardInterrupt:
        console.print(
            "stopped; every finished game is kept. Go on with:\n"
            f"  arena resume {shlex.quote(str(folder.path))}",
            markup=False,
            soft_wrap=True,
        )
        raise
    return games, going.not_played()


def _told(
    folder: ContestFolder,
    contest: Contest,
    games: list[ScheduledGame],
    not_played: list[str],
    as_json: bool,
) -> int:
    """Print the tables of a contest that was played, and what went wrong; returns the exit code."""
    print_tables(folder, contest, games, as_json)
    for said in not_played:
        screen(stderr=True).print(f"{said}; see {folder.log}", style="red", markup=False)
    return int(bool(not_played))


def _headline(
    console: Console,
    folder: ContestFolder,
    contest: Contest,
    games: list[ScheduledGame],
    missing: int,
) -> None:
    """What is about to be played."""
    pairs = len(pairings(contest))
    openings = len(games) // (2 * pairs)
    plan = f"{len(contest.playing)} bots, {pairs} pairings × {openings} openings × 2 sides"
    console.print(
        f"{folder.path}: {plan} = {len(games)} games, {missing} to play\n"
        f"{contest.rules}; {contest.limits}; seed {contest.schedule.seed}",
        markup=False,
    )
    for name, bot in contest.playing.items():
        own = bot.options.get("nodes")
        if bot.engine is not None and own is not None and own != contest.limits.nodes:
            console.print(f"{name} has a budget of its own: {own:,} nodes", markup=False)
    if openings < contest.schedule.openings:
        console.print(
            f"this board has only {openings} fair openings of the "
            f"{contest.schedule.openings} asked for",
            style="yellow",
        )
