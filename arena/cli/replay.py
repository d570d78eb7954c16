"""`arena replay`: a game that was played, move by move."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from arena.cli.rank import say_mended
from arena.cli.screen import WIDE, ready_engine, screen
from arena.contest import GameAnalysis, Session
from arena.naming import games_name
from arena.quoting import plain_lines
from arena.referee import GameRecord
from arena.report.game_file import FileGames
from arena.report.moves import known_line, worths_in_words
from arena.report.shown import ContestGames, ShownGame, ShownGames, outcome
from arena.rules import MARKS, Position, draw


@click.command()
@click.argument("games", type=click.Path(path_type=Path))
@click.argument("game")
@click.option("--json", "as_json", is_flag=True, help="Print the game as JSON.")
def replay(games: Path, game: str, as_json: bool) -> int:
    """Show a game of a contest. GAMES is its folder, or the file of games beside a feedback page.

    GAME is the game's number there; in a folder that is its number in games.csv, and the start of
    its key serves too.

    \b
    Example:
      arena replay results/homework4 12
      arena replay dora.json 27
    """
    found = _games(games).find(game)
    if as_json:
        click.echo(json.dumps(_plain(found), indent=2))
    else:
        _show(found)
    return 0


def _games(path: Path) -> ShownGames:
    """Return the games that are kept there. Raises InputError."""
    if path.is_file() or (path.name.endswith(games_name("")) and not path.is_dir()):
        return FileGames(path)
    session = Session.open(path)
    with session.folder.read_journal():
        say_mended(session.folder)  # before anything is compiled
    if session.contest.needs_engine:
        ready_engine(screen(stderr=True))
    return ContestGames(str(path), session.games, session.settle())


def _show(game: ShownGame) -> None:
    """Print a game: opening, moves with time, nodes and worth, last board, verdict."""
    record, analysis = game.record, game.analysis
    worths = worths_in_words(analysis, record, game.rules) if analysis else {}
    position = Position(game.rules, record.columns[: record.opening_plies])
    first, second = game.names
    click.echo(f"Game {game.number}: {first} ({MARKS[0]}) against {second} ({MARKS[1]})")
    key = f", key {record.key}" if record.key else ""
    click.echo(f"{game.rules}; opening {game.opening}{key}\n")
    click.echo(draw(position) + "\n")
    for index, spent_ns in enumerate(record.charged_ns):
        ply = record.opening_plies + index
        seat = record.seat_of_answer(index)
        moved = ply < len(record.columns)
        column = f"column {record.columns[ply]}" if moved else "no move"
        nodes = f"  {record.nodes[index]:>9,} nodes" if record.nodes[index] >= 0 else ""
        worth = f"  {worths[ply]}" if ply in worths else ""
        name = f"{MARKS[seat]} {game.names[seat]}"
        click.echo(
            f"ply {ply + 1:>3}  {name:<24} {column:<10} {spent_ns / 1e6:>10,.2f} ms{nodes}{worth}"
        )
        if moved:
            position.play(record.columns[ply])
    if record.charged_ns:
        click.echo("\n" + draw(position))
    click.echo(f"\n{outcome(game.names, record)}")
    if analysis and (known := known_line(analysis, record)):
        click.echo(known)
    if record.output.strip():
        click.echo("\nThe last the loser printed:")
        for line in plain_lines(record.output, WIDE):
            click.echo(line)
    if game.forfeit and game.is_played:
        counts = outcome(game.names, game.forfeit)
        click.echo(f"\nThis game was played but does not count: {counts}")
    elif game.forfeit:
        click.echo("\nThis game was not played.")


def _judged(analysis: GameAnalysis, record: GameRecord) -> list[dict[str, Any]]:
    """Return what each move was worth; values are null where the solver does not reach."""
    exact = {move.ply: move for move in analysis.moves}
    return [
        {
            "ply": move.ply + 1,
            "value": exact[move.ply].value if move.ply in exact else None,
            "best_value": exact[move.ply].before if move.ply in exact else None,
            "matters": move.matters,
            "blunder": move.is_blunder,
            "held_by": list(move.position.held_by) if move.is_blunder else [],
            "chance": move.worth.chance,
            "best_chance": move.position.chance,
            "estimate": move.is_estimate,
            "columns": move.position.numbers,
        }
        for move in analysis.judged(record)
    ]


def _plain(game: ShownGame) -> dict[str, Any]:
    """Return all that is known of a game, for JSON."""
    record = game.record
    return {
        "game": game.number,
        "first": game.names[0],
        "second": game.names[1],
        "moves": list(record.columns),
        "opening_plies": record.opening_plies,
        "charged_ms": [spent / 1e6 for spent in record.charged_ns],
        "nodes": list(record.nodes),
        "winner": None if record.winner is None else game.names[record.winner],
        "verdict": record.verdict.name,
        "reason": record.reason,
        "output": record.output,
        "key": record.key,
        "forfeit": game.forfeit.reason if game.forfeit else None,
        "analysis": _judged(game.analysis, game.record) if game.analysis else None,
    }
