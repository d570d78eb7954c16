"""`arena ladder`: a course that lasts weeks, round by round."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.cli.files import ANY_PATH
from arena.cli.options import (
    AT_HOME,
    confine,
    contest_from,
    executor_words,
    on_executors,
    run_options,
    where,
)
from arena.cli.run import NOT_BEGUN, RunOutcome, play, print_not_played
from arena.cli.screen import Interruption, screen
from arena.common.errors import FolderInUseError, InputError, MachineError
from arena.common.text import counted, one_line, quote
from arena.contest.folder import ContestFolder
from arena.contest.history import History, read_history
from arena.contest.ladder import (
    ALLOW_LEAVING,
    begin_ladder,
    enter_ladder,
    require_day,
    require_ladder,
)
from arena.contest.session import Session
from arena.courses.collect import seen_in, wait_until_still

STILL_SECONDS = 10  # Default of --still.


@click.command()
@click.argument("folder", metavar="DIR", type=ANY_PATH)
@click.option(
    "--submissions",
    type=ANY_PATH,
    metavar="DIR",
    help="The folder of submissions, one bot each: a round is played if any changed.",
)
@run_options
@on_executors
@click.option(
    "--day",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The round's day in history.csv. Default: today.",
)
@click.option(
    "--still",
    type=click.FloatRange(min=0),
    default=STILL_SECONDS,
    metavar="SECONDS",
    help="Wait until the submissions have not changed for this time: somebody may still copy "
    f"files. Default: {STILL_SECONDS}.",
)
@click.option(
    ALLOW_LEAVING,
    is_flag=True,
    help="Play the round even if more than half of the last round's bots are missing.",
)
@click.option("--home", is_flag=True, help=AT_HOME)
@click.option("--json", "as_json", is_flag=True, help="Print the last round as JSON.")
def ladder(
    folder: Path,
    submissions: Path | None,
    day: datetime | None,
    still: float,
    allow_leaving: bool,
    home: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Play a ladder's next round, or show where it stands.

    DIR is a contest's folder; every other command works in it. With --submissions, new and changed
    bots play their games, and bots that are no longer there leave the table. If nothing changed,
    nothing is played and no round is added. history.csv keeps every bot's place after every round.
    Give the contest's options in the first round; later rounds keep them. Without --submissions the
    last round is printed.

    \b
    Example:
      arena ladder results/course --submissions homework --preset cs4100 --openings 3
    """
    contest_folder = ContestFolder(folder)
    require_ladder(contest_folder)
    if submissions is None:
        lanes, place, _ = where()
        given: dict[str, Any] = {"allow_leaving": allow_leaving or None, "lanes": lanes}
        given |= {place.kind.name: place.place} if place else {}
        return _show(folder, as_json, {**given, "day": day, **options})
    confine(home)
    with Interruption(NOT_BEGUN) as interruption:
        more = [*executor_words(), *([ALLOW_LEAVING] if allow_leaving else [])]
        command = " ".join(map(quote, ["ladder", "--submissions", str(submissions), *more]))
        again = f"arena {command} {quote(str(folder))}"
        terms = submissions, partial(contest_from, options=options)
        enter = partial(enter_ladder, contest_folder, *terms, allow_leaving=allow_leaving)
        entered = partial(_entered, enter, submissions, still)

        def played(session: Session) -> RunOutcome:
            console = screen(stderr=True)
            if not console.is_terminal:
                console = Console(quiet=True)  # cron sends printed lines by e-mail
            with session.continuable(command):
                return play(session, console, interruption, again)

        if not contest_folder.is_contest:
            entered()  # raises errors before a folder is made
        contest_folder.create()
        try:
            with contest_folder.locked():
                today = day.date() if day else date.today()
                return _play_round(folder, entered, played, command, today, as_json)
        except FolderInUseError:
            said = "another arena is at work on it right now, so nothing was done"
            screen().print(f"{folder}: {said}", markup=False)
            return 0


def _show(folder: Path, as_json: bool, options: dict[str, Any]) -> int:
    given = [name for name, value in options.items() if value is not None]
    if given:
        option = f"--{given[0].replace('_', '-')}"
        raise InputError(f"{option}: needs --submissions, which is missing")
    ContestFolder(folder).read()
    history = read_history(folder)
    if not history.rounds:
        first = f"arena ladder {quote(str(folder))} --submissions DIR"
        raise InputError(f"{folder}: no round has been played; play the first: {first}")
    _print_round(history, as_json)
    return 0


def _entered(enter: Callable[[], Session], submissions: Path, still: float) -> Session:
    while True:  # until nothing has changed while they were read
        seen = wait_until_still(submissions, still)
        try:
            session = enter()
        except (InputError, MachineError):
            if not still or seen_in(submissions) == seen:
                raise
        else:
            if not still or seen_in(submissions) == seen:
                return session


def _play_round(
    folder: Path,
    entered: Callable[[], Session],
    played: Callable[[Session], RunOutcome],
    command: str,
    day: date,
    as_json: bool,
) -> int:
    history = read_history(folder)
    require_day(folder, history, day)
    session = entered()
    begin_ladder(folder)
    if is_played := _is_played(session):
        done = RunOutcome(0, [])
        session.copy_rosters()
    else:
        done = played(session)
    with session.continuable(command):
        after = _written(session, history, day, tables=not is_played)
    has_changed = len(after.rounds) > len(history.rounds)
    if as_json:
        _print_round(after, as_json, {"changed": has_changed, "hand_ins": session.name_remarks})
    elif has_changed:
        _print_round(after, as_json, more=f", {counted(done.games, 'game')} played")
        for name, bot in session.contest.playing.items():
            if bot.problem is not None:
                line = one_line(f"{name} cannot be loaded: {bot.problem}")
                screen().print(line, markup=False)
    else:
        last = history.last[0]
        said = f"nothing changed since round {last.round}, {last.day}"
        screen().print(f"{folder}: {said}", markup=False)
    for remark in () if as_json else session.name_remarks:
        screen().print(remark, markup=False)
    print_not_played(session, done)
    return int(bool(done.abandoned))


def _is_played(session: Session) -> bool:
    try:
        return session.is_as_before() and not session.settle().settled.due
    except InputError:
        return False  # the journal is missing or damaged; playing repairs it


def _written(session: Session, history: History, day: date, *, tables: bool) -> History:
    """Add a round if anything changed, its rows last; return the history."""
    from arena.report.facts import facts_of  # pandas is slow to import
    from arena.report.files import make_results
    from arena.report.ladder import keep_round, placings

    folder, contest = session.folder.path, session.contest
    settled, _, analyses = session.settle()
    facts = facts_of(folder, contest, settled, analyses)
    number = history.last[0].round + 1 if history.rounds else 1
    rows = placings(facts, day, number)
    is_new = not history.is_last(rows)
    if is_new:
        facts = replace(facts, history=History((*facts.history.placings, *rows)))
    if is_new or tables:
        results = make_results(folder, facts)
        results.write(folder)
        if is_new:
            keep_round(folder, rows, results)
    return facts.history


def _print_round(
    history: History, as_json: bool, facts: Mapping[str, Any] | None = None, *, more: str = ""
) -> None:
    from arena.report.ladder import round_lines, round_record, round_table, round_title

    if as_json:
        click.echo(json.dumps({**round_record(history), **(facts or {})}, indent=2))
        return
    console = screen()
    console.print(round_title(history) + more)
    console.print(round_table(history, console.width))
    for line in round_lines(history):
        console.print(line, markup=False)
