"""`arena rank` and `arena exclude`: a contest's tables, from its journal."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from arena.cli.files import ANY_PATH, FILE, OneOf
from arena.cli.screen import ready_engine, remark, screen
from arena.common.errors import InputError, StorageError
from arena.common.files import write_file
from arena.common.text import counted, listed, one_line, quote
from arena.contest import people
from arena.contest.retirement import Settled
from arena.contest.session import Session
from arena.scoring.grade_rules import GradeRule

if TYPE_CHECKING:
    from arena.report.facts import Facts

log = logging.getLogger("arena.contest")
RULES = [rule.value for rule in GradeRule if rule.rule]


@click.command()
@click.argument("folder", type=ANY_PATH)
@click.option(
    "--columns",
    metavar="NAME,…",
    help="Print these columns: those of leaderboard.csv and tallies.csv, and the tie-breaks.",
)
@click.option(
    "--grade",
    type=OneOf(RULES),
    help="Grade by this rule instead of the contest's; nothing is written.",
)
@click.option(
    "--beside",
    type=OneOf(RULES),
    help="Also show the grades by this rule, and how many differ; nothing is written.",
)
@click.option(
    "--figure",
    type=FILE,
    metavar="FILE.svg",
    help="Also draw each bot's rating with its interval, and where grades begin.",
)
@click.option(
    "--exam",
    type=FILE,
    metavar="FILE.json",
    help="Also write what examiners ask: each pairing's predicted score, the chance that each bot "
    "is better than each other, the first mover's advantage, and lanes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def rank(
    folder: Path,
    columns: str | None,
    grade: str | None,
    beside: str | None,
    figure: Path | None,
    exam: Path | None,
    as_json: bool,
) -> int:
    """Compute a contest's tables again from its journal, and print the leaderboard.

    You can change [ranking] and [grades] in the folder's contest.toml first; no game is played
    again. Tables that have more games than the journal are not overwritten.

    \b
    Example:
      arena rank results/homework4 --columns rank,bot,points,sonneborn_berger
      arena rank results/homework4 --grade scale --beside seed
    """
    for option, file in (("--figure", figure), ("--exam", exam)):
        if file is not None and not file.parent.is_dir():
            raise InputError(f"{option} {file}: there is no folder {file.parent}")
    session = Session.read(folder)
    names = None if columns is None else [name.strip() for name in columns.split(",")]
    if grade or beside:
        facts = _print_regraded(session, as_json, names, grade, beside)
    else:
        facts = print_tables(session, as_json, names, report=False)
    # these import pandas, which is slow
    from arena.report.exam import exam_text
    from arena.report.grade_figure import grade_figure

    for option, file, make in (("--figure", figure, grade_figure), ("--exam", exam, exam_text)):
        if file is not None:
            try:
                write_file(file, make(facts))
            except OSError as error:
                raise InputError(f"{option} {file}: {error.strerror}") from None
    return 0


def _print_regraded(
    session: Session,
    as_json: bool,
    columns: Sequence[str] | None,
    grade: str | None,
    beside: str | None,
) -> Facts:
    from arena.report.facts import facts_of
    from arena.report.regrading import regraded

    settled, _, analyses = session.settle()
    facts = facts_of(session.folder.path, session.contest, settled, analyses)
    rule, other = (GradeRule(name) if name else None for name in (grade, beside))
    facts, lines = regraded(facts, rule, other)
    _print_missing(session, settled)
    if as_json:
        _print_json(facts, columns)
    else:
        _show(facts, lines, columns)
    return facts


def _print_json(facts: Facts, columns: Sequence[str] | None) -> None:
    from arena.report.screen.leaderboard import chosen_columns

    board = facts.listed if columns is None else chosen_columns(facts, columns)
    click.echo(board.to_json(orient="records", indent=2))


def print_tables(
    session: Session,
    as_json: bool,
    columns: Sequence[str] | None = None,
    *,
    report: bool = True,
) -> Facts:
    """Write the tables, a large report only if `report`; print and return the board.

    Raises InputError, StorageError.
    """
    # pandas is slow to import: errors come without it, and lanes fork without it
    from arena.report.analysis import missing_lines
    from arena.report.facts import facts_of
    from arena.report.files import make_results
    from arena.report.html.report import REPORT, is_paged
    from arena.report.screen.lines import work_lines

    folder, contest = session.folder, session.contest
    settled, _, analyses = session.settle(writes=True)
    results = make_results(folder.path, facts_of(folder.path, contest, settled, analyses))
    unwritten = None
    report = report or not is_paged(settled)
    if folder.is_writable:
        try:
            results.write(folder.path, report=report)
        except StorageError as error:
            unwritten = error  # the tables can still be printed
    _print_missing(session, settled)
    partial = [
        *work_lines(results.facts, session.paces),
        *missing_lines(settled, analyses, folder.path),
    ]
    if as_json:
        _print_json(results.facts, columns)
        for line in partial:
            screen(stderr=True).print(line)
    else:
        _show(results.facts, partial, columns)
    if unwritten is not None:
        raise unwritten
    if as_json:
        return results.facts
    files = ", ".join(name for name in results.files if "/" not in name)
    as_before = "" if folder.is_writable else " are unchanged: the folder cannot be written to"
    page = f", {REPORT}" * report
    screen().print(f"{folder.path}: {files}, feedback/{page}{as_before}", markup=False)
    if not report:
        again = f"arena report {quote(str(folder.path))}"
        screen().print(f"{REPORT} was not written again; to write it: {again}", markup=False)
    return results.facts


def _print_missing(session: Session, settled: Settled) -> None:
    folder, contest = session.folder, session.contest
    go_on = f"arena resume {quote(str(folder.path))}"
    if not settled.is_final:
        missing = f"{len(settled.due):,} of {len(session.games):,} games not played yet"
        if contest.schedule.in_rounds:
            state = "not settled" if contest.schedule.until_settled else "not finished"
            missing = f"{state}: at least {counted(len(settled.due), 'game')} to play"
        remark(f"{missing}: {go_on}")
    elif contest.lacking:
        lacking = listed(contest.lacking)
        remark(f"no grades without games against {lacking}; continue with: {go_on}")
    if session.unknown_lateness:
        remark(session.unknown_lateness)


def _show(facts: Facts, partial: list[Text], columns: Sequence[str] | None) -> None:
    from arena.report.screen.leaderboard import (
        chosen_columns,
        chosen_table,
        leaderboard_table,
        legend,
        no_room_line,
    )
    from arena.report.screen.lines import out_table, table_lines

    console = screen()
    if columns is None:
        table = leaderboard_table(facts.board, console.width)
        console.print(table)
        console.print(legend(table))
    else:
        table, left_out = chosen_table(chosen_columns(facts, columns), console.width)
        console.print(table)
        if left_out:
            console.print(no_room_line(left_out))
    for line in (*table_lines(facts), *partial):
        console.print(line)
    if (out := out_table(facts, console.width)) is not None:
        console.print(out)


@click.command()
@click.argument("folder", type=ANY_PATH)
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
@click.option("--undo", is_flag=True, help="Take the bots back in.")
@click.option(
    "--reason",
    metavar="TEXT",
    help="Why, for the tables, the report and the bot's own page: all may read it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def exclude(
    folder: Path, bots: tuple[str, ...], undo: bool, reason: str | None, as_json: bool
) -> int:
    """Leave bots out of a contest's tables, or take them back in.

    An excluded bot has no rank and no grade, its games count for nobody, and arena run and arena
    resume play none of its games. The journal does not change, so --undo brings everything back.
    Tables, feedback and report are written again. excluded.csv in the folder lists the excluded
    bots with date and reason.

    \b
    Example:
      arena exclude results/homework4 bea --reason "handed in another's code"
    """
    if undo and reason is not None:
        raise InputError("--reason: goes with leaving a bot out; leave it out with --undo")
    session = Session.open(folder)
    people.require_excludable(session.contest, bots, undo=undo)
    names = list(dict.fromkeys(bots))
    Session.read(folder).settle()  # raises errors before anything changes
    with session.folder.locked():
        rows = [row for row in people.read_excluded(folder) if row.bot not in names]
        if not undo:
            now = datetime.now().isoformat(" ", "minutes")
            rows += (people.Exclusion(name, now, one_line(reason or "")) for name in names)
        left = list(people.with_excluded(session.contest, rows).playing)
        if len(left) < 2:
            raise InputError(f"only {listed(left) or 'nobody'} would be left; a contest needs two")
        people.write_excluded(folder, rows)
        session = Session.open(folder)
        said = "taken back in" if undo else "left out of the tables"
        with session.folder.logged():
            log.info("%s %s %s", listed(names), "is" if len(names) == 1 else "are", said)
        ready_engine(screen(stderr=True), session.contest.engine)
        print_tables(session, as_json)
    return 0
