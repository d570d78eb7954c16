"""`arena match` and `arena replay`: single games."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.cli.options import contest_from, contest_options, lane_cores, one_bot, runs_bots
from arena.cli.rank import say_mended
from arena.cli.screen import WIDE, ConsoleHandler, Interruption, ready_engine, screen
from arena.contest import Contest, GameAnalysis, Run, ScheduledGame, Session, forfeit
from arena.errors import InputError
from arena.intake import find_submission
from arena.numbers import counted
from arena.quoting import plain_lines
from arena.referee import GameRecord
from arena.report.moves import known_line, move_in_words
from arena.rules import MARKS, Position, draw, format_moves


@click.command()
@click.argument("bot_a")
@click.argument("bot_b")
@contest_options
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@one_bot
@runs_bots
@Interruption("stopped; a match keeps nothing: the same command plays it again")
def match(bot_a: str, bot_b: str, lanes: int | None, one_bot: bool, **options: Any) -> int:
    """Play one pairing, BOT_A against BOT_B, and print it game by game.

    Besides a path, a word can be a house player's name: random, greedy, novice, reference, master
    or perfect, from weak to strong; or a demo bot's, as quartets.

    \b
    Example:
      arena match my_bot.py reference --openings 5
    """
    one, other = (find_submission(word, one_bot=one_bot) for word in (bot_a, bot_b))
    if one.name == other.name:
        one, other = (
            replace(one, name=f"{one.name}-1"),
            replace(other, name=f"{other.name}-2"),
        )
    console = screen(stderr=True)
    with Session.throwaway(contest_from(Contest(), options), (one, other)) as session:
        for remark in session.remarks:
            console.print(remark, style="yellow", markup=False)
        session.require_boards()
        if session.contest.needs_engine:
            ready_engine(console)
        cores = lane_cores(lanes, session.contest.limits)
        with (
            session.at_work(cores, ConsoleHandler(console)) as executor,
            session.run(executor, len(cores), whole=True) as run,
        ):
            _print_games(session.games, run, (one.name, other.name))
    for line in run.not_played():
        click.echo(line, err=True)
    return int(bool(run.given_up))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("game")
@click.option("--json", "as_json", is_flag=True, help="Print the game as JSON.")
def replay(folder: Path, game: str, as_json: bool) -> int:
    """Show a game of a contest. GAME is its number in games.csv, or the start of its key.

    \b
    Example:
      arena replay results/homework4 12
    """
    session = Session.open(folder)
    with session.folder.read_journal():
        say_mended(session.folder)  # before anything is compiled
    if session.contest.needs_engine:
        ready_engine(screen(stderr=True))
    results = session.settle()
    scheduled = _find(session.games, game, folder)
    played = results.records.get(scheduled.key.digest)
    made_up = forfeit(scheduled, results.settled.retired)
    record = played or made_up
    if record is None:
        raise InputError(
            f"{folder}: game {scheduled.number} has not been played yet; arena resume {folder}"
        )
    analysis = results.analyses.get(record.key) if played else None
    if as_json:
        forfeited = {"forfeit": None if made_up is None else made_up.reason}
        worth = {"analysis": None if analysis is None else _judged(analysis)}
        click.echo(json.dumps(_plain(scheduled, record) | forfeited | worth, indent=2))
        return 0
    _show(scheduled, record, analysis)
    if made_up and played:
        click.echo(f"\nThis game was played but does not count: {_outcome(scheduled, made_up)}")
    elif made_up:
        click.echo("\nThis game was not played.")
    return 0


def _find(games: list[ScheduledGame], word: str, folder: Path) -> ScheduledGame:
    """Return the game of that number or key. Raises InputError."""
    for game in games:
        if word == str(game.number) or (len(word) >= 6 and game.key.digest.startswith(word)):
            return game
    raise InputError(f"{folder}: there is no game {word}; games are numbered 1 to {len(games)}")


def _names(game: ScheduledGame) -> tuple[str, str]:
    return game.first, game.second


def _outcome(game: ScheduledGame, record: GameRecord) -> str:
    """Return who won and why, in one line."""
    if record.winner is None:
        return f"draw: {record.reason}" if record.is_game else f"no game: {record.reason}"
    winner, loser = _names(game)[record.winner], _names(game)[1 - record.winner]
    if record.verdict.is_fault:
        return f"{winner} wins: {loser} {record.reason} [{record.verdict.name}]"
    return f"{winner} wins: {record.reason}"


def _print_games(games: list[ScheduledGame], run: Run, names: tuple[str, str]) -> None:
    """Play, and print each game when it and those before it have ended, and then the score."""
    played: dict[str, GameRecord] = {}
    points = dict.fromkeys(names, 0.0)
    left = deque(games)
    for records in run:
        played.update((record.key, record) for record in records)
        while left and left[0].key.digest in played:
            game = left.popleft()
            _print_result(game, played[game.key.digest], points)
    score = " : ".join(f"{name} {total:g}" for name, total in points.items())
    click.echo(f"\n{score}   ({counted(len(played), 'game')})")


def _print_result(game: ScheduledGame, record: GameRecord, points: dict[str, float]) -> None:
    for seat, name in enumerate(_names(game)):
        if record.is_game:
            points[name] += 0.5 if record.winner is None else float(record.winner == seat)
    opening = record.columns[: record.opening_plies]
    mover = _names(game)[len(opening) % 2]
    begins = f"{mover} moves after {format_moves(opening)}" if opening else f"{mover} begins"
    click.echo(
        f"game {game.number:>3}  {game.first} {MARKS[0]}, {game.second} {MARKS[1]}, {begins}: "
        f"{_outcome(game, record)} ({len(record.columns)} plies)"
    )


def _show(game: ScheduledGame, record: GameRecord, analysis: GameAnalysis | None) -> None:
    """Print a game: opening, moves with time, nodes and worth, last board, verdict."""
    judged = {move.ply: move for move in analysis.moves} if analysis else {}
    position = Position(game.key.rules, record.columns[: record.opening_plies])
    first, second = _names(game)
    click.echo(f"Game {game.number}: {first} ({MARKS[0]}) against {second} ({MARKS[1]})")
    click.echo(f"{game.key.rules}; opening {game.opening}, key {record.key}\n")
    click.echo(draw(position) + "\n")
    for index, spent_ns in enumerate(record.charged_ns):
        ply = record.opening_plies + index
        seat = record.seat_of_answer(index)
        moved = ply < len(record.columns)
        column = f"column {record.columns[ply]}" if moved else "no move"
        nodes = f"  {record.nodes[index]:>9,} nodes" if record.nodes[index] >= 0 else ""
        worth = f"  {move_in_words(judged[ply], game.key.rules)}" if ply in judged else ""
        name = f"{MARKS[seat]} {_names(game)[seat]}"
        click.echo(
            f"ply {ply + 1:>3}  {name:<24} {column:<10} {spent_ns / 1e6:>10,.2f} ms{nodes}{worth}"
        )
        if moved:
            position.play(record.columns[ply])
    if record.charged_ns:
        click.echo("\n" + draw(position))
    click.echo(f"\n{_outcome(game, record)}")
    if analysis and (known := known_line(analysis, record)):
        click.echo(known)
    if record.output.strip():
        click.echo("\nThe last the loser printed:")
        for line in plain_lines(record.output, WIDE):
            click.echo(line)


def _judged(analysis: GameAnalysis) -> list[dict[str, Any]]:
    """Return the moves whose value is known."""
    return [
        {
            "ply": move.ply + 1,
            "value": move.value,
            "best_value": move.before,
            "matters": move.matters,
            "blunder": move.is_blunder,
            "held_by": list(move.held_by),
        }
        for move in analysis.moves
    ]


def _plain(game: ScheduledGame, record: GameRecord) -> dict[str, Any]:
    return {
        "game": game.number,
        "first": game.first,
        "second": game.second,
        "moves": list(record.columns),
        "opening_plies": record.opening_plies,
        "charged_ms": [spent / 1e6 for spent in record.charged_ns],
        "nodes": list(record.nodes),
        "winner": None if record.winner is None else _names(game)[record.winner],
        "verdict": record.verdict.name,
        "reason": record.reason,
        "output": record.output,
        "key": record.key,
    }
