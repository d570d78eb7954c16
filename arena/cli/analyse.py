"""`arena analyse`: what the moves of a contest's games were worth."""

from __future__ import annotations

import json
import shlex
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from arena.cli.rank import say_mended, settled_games
from arena.cli.run import at_work, going_on
from arena.cli.screen import ready_engine, screen, tracked
from arena.contest import (
    Contest,
    ContestFolder,
    ScheduledGame,
    Settled,
    analyse_games,
    unanalysed,
    usual_nodes,
)
from arena.errors import InputError
from arena.referee import GameRecord

if TYPE_CHECKING:
    from arena.ranking import Analysed


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@click.option(
    "--nodes",
    type=click.IntRange(min=1),
    help="Most positions to search for one question; more of them reveal more on large boards. "
    "Default: 100 million up to 6×7, else 5 million.",
)
@click.option("--json", "as_json", is_flag=True, help="Print accuracy and blunders as JSON.")
def analyse(folder: Path, lanes: int | None, nodes: int | None, as_json: bool) -> int:
    """Compare every move of a contest with perfect play.

    The solver works backwards from the end of each game: on boards up to 6×7 it reaches the
    opening, on larger ones only the last plies. For each bot it prints how many of its moves
    mattered (where another move would have ended differently) and its accuracy (the share of
    those by which it kept a win or a draw). `arena replay` and the pages in feedback/ then show
    each blunder. Results are kept: typed again, the command looks only at games that are new.

    \b
    Example:
      arena analyse results/homework4
    """
    contest_folder = ContestFolder(folder)
    contest = contest_folder.read()
    nodes = nodes or usual_nodes(contest.rules)
    with contest_folder.read_journal():
        say_mended(contest_folder)  # before anything is compiled
    console = screen(stderr=True)
    with going_on(contest_folder, "analyse"), contest_folder.locked():
        ready_engine(console)
        games = contest_folder.games(contest)
        settled, analyses = settled_games(contest_folder, contest, games)
        played = [record for _, record, is_forfeit in settled.games if not is_forfeit]
        if not played:
            raise InputError(f"{folder}: no game has been played yet; arena resume {folder}")
        missing = unanalysed(played, analyses, nodes)
        _headline(console, folder, settled, len(missing))
        if missing and not _analysed(contest_folder, contest, missing, nodes, lanes, console):
            return 1
        _told(contest_folder, contest, games, as_json)
    return 0


def _headline(console: Console, folder: Path, settled: Settled, missing: int) -> None:
    """What is about to be done."""
    console.print(f"{folder}: {len(settled.games)} games, {missing} to analyse", markup=False)
    if settled.open:
        console.print(
            f"{len(settled.open)} more are not played yet: arena resume {shlex.quote(str(folder))}",
            style="yellow",
            markup=False,
        )


def _analysed(
    folder: ContestFolder,
    contest: Contest,
    missing: list[GameRecord],
    nodes: int,
    lanes: int | None,
    console: Console,
) -> bool:
    """Analyse what is missing; False if a lane was killed."""
    again = f"arena analyse {shlex.quote(str(folder.path))}"
    again += f" --nodes {nodes}" * (nodes != usual_nodes(contest.rules))
    journal = folder.journal()
    try:
        with at_work(folder, lanes, console) as (executor, cores, _):
            going = analyse_games(contest.rules, missing, journal, executor, len(cores), nodes)
            for _ in tracked(going, "analysed", len(missing), "games", console):
                pass
    except KeyboardInterrupt:
        said = f"stopped; every game that was analysed is kept. Go on with:\n  {again}"
        console.print(said, markup=False, soft_wrap=True)
        raise
    except InputError as error:
        raise InputError(f"{folder.path}: {error}") from None
    except BrokenProcessPool:
        said = f"a lane was killed, for want of memory perhaps. Go on with:\n  {again} --lanes 1"
        console.print(said, style="red", markup=False, soft_wrap=True)
        return False
    finally:
        journal.close()
    return True


def _told(
    folder: ContestFolder, contest: Contest, games: list[ScheduledGame], as_json: bool
) -> None:
    """Write the folder's tables and print what is known."""
    # pandas takes a while: what is refused need not wait for it, nor is it forked with the lanes
    from arena.ranking import accuracies, accuracy_frame, analysed_games
    from arena.report.analysis import analysis_table, coverage_line
    from arena.report.files import write_results

    settled, analyses = settled_games(folder, contest, games)
    write_results(folder.path, contest, settled, analyses)
    analysed = analysed_games(settled, analyses)
    rows = list(accuracies(analysed, contest.playing).values())
    if as_json:
        bots = json.loads(accuracy_frame(rows).to_json(orient="records"))
        click.echo(json.dumps(_plain(analysed) | {"bots": bots}, indent=2))
        return
    console = screen()
    console.print(analysis_table(rows, console.width))
    console.print(
        f"{coverage_line(analysed)}\n{folder.path}: analysis.csv, feedback/", markup=False
    )


def _plain(games: list[Analysed]) -> dict[str, Any]:
    """How much is known, and every blunder."""
    return {
        "games": len(games),
        "known_in_full": sum(analysis.is_complete(record) for _, record, analysis in games),
        "blunders": [
            {
                "game": each.game.number,
                "ply": move.ply + 1,
                "bot": each.mover(move.ply),
                "column": each.record.columns[move.ply],
                "value": move.value,
                "best_value": move.before,
                "held_by": list(move.held_by),
            }
            for each in games
            for move in each.analysis.moves
            if move.is_blunder
        ],
    }
