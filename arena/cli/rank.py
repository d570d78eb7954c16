"""`arena rank`: a contest's tables, from its journal."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from arena.cli.screen import ready_engine, screen
from arena.contest import ContestFolder, Session
from arena.errors import StorageError

if TYPE_CHECKING:
    from arena.report.facts import Facts


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def rank(folder: Path, as_json: bool) -> int:
    """Compute a contest's tables again from its journal, and print the leaderboard.

    \b
    Example:
      arena rank results/homework4
    """
    session = Session.open(folder)
    if session.contest.needs_engine:
        ready_engine(screen(stderr=True))
    print_tables(session, as_json)
    return 0


def print_tables(session: Session, as_json: bool) -> None:
    """Write the folder's tables and print the leaderboard. Raises InputError, StorageError."""
    # pandas takes a while: what is refused need not wait for it, nor is it forked with the lanes
    from arena.report.analysis import missing_lines
    from arena.report.files import results_of

    folder, contest = session.folder, session.contest
    settled, _, analyses = session.settle()
    say_mended(folder)
    results = results_of(folder.path, contest, settled, analyses)
    unwritten = None
    if folder.is_writable:
        try:
            results.write(folder.path)
        except StorageError as error:
            unwritten = error  # the tables can be shown all the same
    if settled.open:
        screen(stderr=True).print(
            f"{len(settled.open):,} of {len(session.games):,} games are not played yet: "
            f"arena resume {shlex.quote(str(folder.path))}",
            style="yellow",
            markup=False,
        )
    partial = list(missing_lines(settled, analyses, folder.path))
    if as_json:
        click.echo(results.facts.board.to_json(orient="records", indent=2))
        for line in partial:
            screen(stderr=True).print(line)
    else:
        _show(results.facts, partial)
    if unwritten is not None:
        raise unwritten
    if as_json:
        return
    files = ", ".join(name for name in results.files if "/" not in name)
    as_before = "" if folder.is_writable else " are as they were: nothing can be written there"
    screen().print(f"{folder.path}: {files}, feedback/{as_before}", markup=False)


def _show(facts: Facts, partial: list[Text]) -> None:
    """Print the leaderboard and what is to be said below it."""
    from arena.report.below import lines_below
    from arena.report.tables import leaderboard_table

    console = screen()
    console.print(leaderboard_table(facts.board, console.width))
    for line in (*lines_below(facts), *partial):
        console.print(line)


def say_mended(folder: ContestFolder) -> None:
    """Say once that a folder's journal was damaged, if it was, and what became of that."""
    if folder.mended:
        screen(stderr=True).print(folder.mended, style="yellow", markup=False)
        folder.mended = ""
