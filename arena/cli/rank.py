"""`arena rank`: a contest's tables, from its journal."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from arena.cli.screen import ready_engine, screen
from arena.contest import Contest, ContestFolder, GameAnalysis, ScheduledGame, Settled, settle
from arena.errors import InputError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def rank(folder: Path, as_json: bool) -> int:
    """Compute a contest's tables again from its journal, and print the leaderboard.

    \b
    Example:
      arena rank results/homework4
    """
    contest_folder = ContestFolder(folder)
    contest = contest_folder.read()
    if contest.needs_engine:
        ready_engine(screen(stderr=True))
    games = contest_folder.games(contest)
    print_tables(contest_folder, contest, games, as_json)
    return 0


def print_tables(
    folder: ContestFolder, contest: Contest, games: list[ScheduledGame], as_json: bool
) -> None:
    """Write the folder's tables and print the leaderboard. Raises InputError."""
    # pandas takes a while: what is refused need not wait for it, nor is it forked with the lanes
    from arena.report.analysis import missing_lines
    from arena.report.files import write_results
    from arena.report.tables import leaderboard_table, refused_lines, retired_lines, tie_lines

    settled, analyses = settled_games(folder, contest, games)
    try:
        board = write_results(folder.path, contest, settled, analyses)
    except OSError as error:
        raise InputError(f"{folder.path}: cannot be written to ({error.strerror})") from None
    if settled.open:
        screen(stderr=True).print(
            f"{len(settled.open)} of {len(games)} games are not played yet: "
            f"arena resume {shlex.quote(str(folder.path))}",
            style="yellow",
            markup=False,
        )
    partial = list(missing_lines(settled, analyses, folder.path))
    if as_json:
        click.echo(board.to_json(orient="records", indent=2))
        for line in partial:
            screen(stderr=True).print(line)
        return
    console = screen()
    console.print(leaderboard_table(board, console.width))
    below = (*tie_lines(board), *retired_lines(settled, board), *refused_lines(contest), *partial)
    for line in below:
        console.print(line)
    console.print(
        f"{folder.path}: leaderboard.csv, crosstable.csv, games.csv, "
        f"{'analysis.csv, ' if analyses else ''}feedback/",
        markup=False,
    )


def settled_games(
    folder: ContestFolder, contest: Contest, games: list[ScheduledGame]
) -> tuple[Settled, dict[str, GameAnalysis]]:
    """What a contest's games count, and what is known of their moves. Raises InputError."""
    journal = folder.journal(existing=True)
    records = {record.key: record for record in journal.records()}
    analyses = journal.analyses()
    journal.close()
    return settle(games, records, contest.schedule.retire_after), analyses
