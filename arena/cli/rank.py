"""`arena rank`: a contest's tables, from its journal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from arena.cli.screen import screen
from arena.common.errors import StorageError
from arena.common.text import counted, listed
from arena.contest.folder import ContestFolder
from arena.contest.retirement import Settled
from arena.contest.session import Session

if TYPE_CHECKING:
    from arena.report.facts import Facts


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--columns",
    metavar="NAME,…",
    help="Print these columns: those of leaderboard.csv and tallies.csv, and the tie-breaks.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def rank(folder: Path, columns: str | None, as_json: bool) -> int:
    """Compute a contest's tables again from its journal, and print the leaderboard.

    You can change [ranking] and [grades] in the folder's contest.toml first; no game is played
    again. Tables that have more games than the journal are not overwritten.

    \b
    Example:
      arena rank results/homework4 --columns rank,bot,points,buchholz
    """
    session = Session.read(folder)
    names = None if columns is None else [name.strip() for name in columns.split(",")]
    print_tables(session, as_json, names, report=False)
    return 0


def print_tables(
    session: Session,
    as_json: bool,
    columns: Sequence[str] | None = None,
    *,
    report: bool = True,
) -> None:
    """Write the folder's tables and print the leaderboard.

    Without `report`, a large contest's report stays as it is. Raises InputError, StorageError.
    """
    # pandas is slow to import: errors come without it, and lanes fork without it
    from arena.report.analysis import missing_lines
    from arena.report.facts import facts_of
    from arena.report.files import make_results
    from arena.report.html.report import REPORT, is_paged
    from arena.report.screen.leaderboard import chosen_columns
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
        board = results.facts.listed
        if columns is not None:
            board = chosen_columns(results.facts, columns)
        click.echo(board.to_json(orient="records", indent=2))
        for line in partial:
            screen(stderr=True).print(line)
    else:
        _show(results.facts, partial, columns)
    if unwritten is not None:
        raise unwritten
    if as_json:
        return
    files = ", ".join(name for name in results.files if "/" not in name)
    as_before = "" if folder.is_writable else " are unchanged: the folder cannot be written to"
    page = f", {REPORT}" * report
    screen().print(f"{folder.path}: {files}, feedback/{page}{as_before}", markup=False)
    if not report:
        again = f"arena report {shlex.quote(str(folder.path))}"
        screen().print(f"{REPORT} was not written again; to write it: {again}", markup=False)


def _print_missing(session: Session, settled: Settled) -> None:
    folder, contest = session.folder, session.contest
    console, go_on = screen(stderr=True), f"arena resume {shlex.quote(str(folder.path))}"
    if not settled.is_final:
        missing = f"{len(settled.due):,} of {len(session.games):,} games are not played yet"
        if contest.schedule.until_settled:
            missing = f"not settled: at least {counted(len(settled.due), 'game')} to play"
        console.print(f"{missing}: {go_on}", style="yellow", markup=False)
    elif contest.lacking:
        console.print(
            f"no grades without games against {listed(contest.lacking)}; continue with: {go_on}",
            style="yellow",
            markup=False,
        )
    if session.unknown_lateness:
        console.print(session.unknown_lateness, style="yellow", markup=False)


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


def print_repairs(folder: ContestFolder) -> None:
    while folder.repairs:
        screen(stderr=True).print(folder.repairs.pop(0), style="yellow", markup=False)
