"""`arena analyse`: the worth of every move in a contest's games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from arena.analysis.analysis import usual_nodes
from arena.analysis.worth import CALIBRATION_ERROR
from arena.cli.files import ANY_PATH
from arena.cli.options import lane_cores, log_json, where
from arena.cli.screen import AT_FIRST, ConsoleHandler, ready_engine, remark, screen, tracked
from arena.common.errors import InputError
from arena.common.text import counted, quote
from arena.contest.session import ContestResults, Session
from arena.playing.batches import open_lanes

if TYPE_CHECKING:
    from arena.ranking.accuracy import Analysed


@click.command()
@click.argument("folder", type=ANY_PATH)
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@click.option(
    "--nodes",
    type=click.IntRange(min=1),
    help="Nodes to search for one position at most; more of them reveal more on large boards. "
    "Default: 50 million up to 6×7, else 2 million.",
)
@log_json
@click.option("--json", "as_json", is_flag=True, help="Print accuracy and blunders as JSON.")
def analyse(folder: Path, lanes: int | None, nodes: int | None, as_json: bool) -> int:
    """Say what every move of a contest was worth.

    The solver works backwards from the end of each game: on boards up to 6×7 it reaches the
    opening, on larger ones only the last plies. The engine's search estimates earlier moves. For
    each bot the command prints how many moves mattered (another column was worth less) and its
    accuracy (the share of these that were no blunders). `arena replay` and feedback/ then show each
    blunder. Only new games are analysed the next time.

    \b
    Example:
      arena analyse results/homework4
    """
    session = Session.read(folder)
    nodes = nodes or usual_nodes(session.contest.rules)
    console = screen(stderr=True)
    with session.continuable("analyse"), session.folder.locked():
        results = session.settle(writes=True)
        if not results.played:
            again = f"arena resume {quote(str(folder))}"
            raise InputError(f"{folder}: no game has been played yet; {again}")
        ready_engine(console)
        missed = _analyse(session, results, nodes, lanes, console)
        _print_results(session, as_json)
    for line in missed:
        console.print(f"{line}; see {session.folder.log}", style="red", markup=False)
    return int(bool(missed))


def _analyse(
    session: Session,
    results: ContestResults,
    nodes: int,
    lanes: int | None,
    console: Console,
) -> list[str]:
    path = session.folder.path
    cores = lane_cores(lanes)
    try:
        with (
            session.executing(
                open_lanes(cores, bots=False), ConsoleHandler(console), log_json=where().log_json
            ) as executor,
            session.analysis(executor, nodes, results) as analyser,
        ):
            games, due = len(results.settled.games), len(results.settled.due)
            to_do = f"{path}: {counted(games, 'game')}, {len(analyser.missing):,} to analyse"
            console.print(to_do, markup=False)
            if due:
                remark(f"{due:,} more not played yet: arena resume {quote(str(path))}")
            if analyser.missing and not console.is_terminal:
                console.print(AT_FIRST)
            for _ in tracked(analyser, "analysed", len(analyser.missing), "games", console):
                pass
    except KeyboardInterrupt:
        again = f"arena analyse {quote(str(path))}"
        again += f" --nodes {nodes}" * (nodes != usual_nodes(session.contest.rules))
        said = f"stopped; every game that was analysed is kept. Continue with:\n  {again}"
        console.print(said, markup=False, soft_wrap=True)
        raise
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return analyser.not_analysed()


def _print_results(session: Session, as_json: bool) -> None:
    # pandas is slow to import: errors come without it, and lanes fork without it
    from arena.ranking.accuracy import accuracies, accuracy_frame, analysed_games
    from arena.report.analysis import analysis_table, coverage_line
    from arena.report.files import write_results

    path, contest = session.folder.path, session.contest
    settled, _, analyses = session.settle(writes=True)
    write_results(path, contest, settled, analyses)
    analysed = analysed_games(settled, analyses)
    rows = list(accuracies(analysed, contest.playing).values())
    if as_json:
        bots = json.loads(accuracy_frame(rows).to_json(orient="records"))
        click.echo(json.dumps(_plain(analysed) | {"bots": bots}, indent=2))
        return
    console = screen()
    console.print(analysis_table(rows, console.width))
    console.print(
        f"{coverage_line(analysed)}\n{path}: analysis.csv, feedback/, report.html", markup=False
    )


def _plain(games: list[Analysed]) -> dict[str, Any]:
    judged = [move for _, record, analysis in games for move in analysis.judged(record)]
    return {
        "games": len(games),
        "moves": len(judged),
        "estimated": sum(move.is_estimate for move in judged),
        "calibration_error": CALIBRATION_ERROR,
        "known_in_full": sum(analysis.is_complete(record) for _, record, analysis in games),
        "blunders": [
            {
                "game": each.game.number,
                "ply": move.ply + 1,
                "bot": each.mover(move.ply),
                "column": move.column,
                "value": move.worth.exact,
                "best_value": move.position.value,
                "held_by": list(move.position.held_by),
                "chance": move.worth.chance,
                "best_chance": move.position.chance,
                "estimate": move.is_estimate,
            }
            for each in games
            for move in each.analysis.blunders(each.record)
        ],
    }
