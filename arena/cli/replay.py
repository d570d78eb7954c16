"""`arena replay`: played games, in a list or move by move."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.live import Live

from arena.analysis.analysis import GameAnalysis
from arena.cli.files import ANY_PATH, OneOf
from arena.cli.options import AT_HOME, confine
from arena.cli.screen import screen
from arena.cli.verify import rerun_game
from arena.common.errors import InputError
from arena.common.names import games_name
from arena.common.text import counted, quote
from arena.contest.session import Session
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.report.game_file import FileGames
from arena.report.replay import ContestGames, Replay, ShownGame, frame
from arena.report.screen.games import Choice, GameResult, as_plain, chosen, games_table

LIMIT = 50  # Default number of games in a list.


@click.command()
@click.argument("games", type=ANY_PATH)
@click.argument("game", required=False)
@click.option(
    "--bot",
    "bots",
    metavar="NAME",
    multiple=True,
    help="List games of this bot; given twice, those between the two.",
)
@click.option(
    "--result",
    type=OneOf([each.value for each in GameResult]),
    help="List games that the bot (the first one named) won, lost or drew.",
)
@click.option(
    "--verdict",
    type=OneOf([*Verdict.__members__], case_sensitive=False),
    metavar="VERDICT",
    help="List games with this verdict, like LINE or TIMEOUT.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"List at most N games. Default: {LIMIT}; with --json all.",
)
@click.option("--boards", is_flag=True, help="Print the game with the board after every move.")
@click.option(
    "--rerun", is_flag=True, help="Play the game again and compare every move with its record."
)
@click.option("--home", is_flag=True, help=f"With --rerun: {AT_HOME.lower()}")
@click.option("--json", "as_json", is_flag=True, help="Print the game, or the list, as JSON.")
def replay(
    games: Path,
    game: str | None,
    bots: tuple[str, ...],
    result: str | None,
    verdict: str | None,
    limit: int | None,
    boards: bool,
    rerun: bool,
    home: bool,
    as_json: bool,
) -> int:
    """Step through a game, or list the games.

    GAMES is a contest's folder, or a file of games: the one beside a feedback page, or a games.json
    that was saved. GAME is a game's number or, in a contest's folder, the start of its key. Without
    GAME the games are listed.

    Keys on a terminal: arrows step, Home and End go to either end, b goes to the next blunder of an
    analysed game, q quits. Elsewhere, and with --boards, every board is printed.

    With --rerun a contest's game is played again, each bot confined as in the contest, and compared
    with its record. Exit code 1 if it does not go as recorded. For a file of games, `arena ask BOT
    --game FILE NUMBER` asks your own bot again.

    \b
    Example:
      arena replay results/homework4 12
      arena replay results/homework4 --bot alice --result lost
      arena replay results/homework4 12 --rerun
      arena replay dora.json 27
    """
    if rerun:
        if game is None or boards or limit is not None or any((bots, result, verdict)):
            raise InputError("--rerun: needs a game's number; leave out options to list games")
        confine(home)
        return rerun_game(open_games(games), games, game, as_json=as_json)
    choice = Choice(
        bots=bots,
        result=GameResult(result) if result else None,
        verdict=Verdict[verdict] if verdict else None,
    )
    if game is None and boards:
        raise InputError("--boards: needs a game; add its number")
    if game is None:
        _print_list(games, choice, limit, as_json=as_json)
    elif choice != Choice() or limit is not None:
        raise InputError(
            f"game {game}: --bot, --result, --verdict and --limit choose from a "
            "list; leave out the game or the options"
        )
    else:
        _print_game(games, open_games(games).find(game), boards=boards, as_json=as_json)
    return 0


def _print_list(path: Path, choice: Choice, limit: int | None, *, as_json: bool) -> None:
    kept = open_games(path)
    listed = chosen(kept, choice, str(path))
    if as_json:
        click.echo(json.dumps([as_plain(each) for each in islice(listed, limit)], indent=2))
        return
    if isinstance(kept, FileGames):
        click.echo(kept.title)
    limit = limit or LIMIT
    shown = list(islice(listed, limit))
    more = sum(1 for _ in listed)
    if not shown:
        click.echo("no such games")
        return
    console = screen()
    console.print(games_table(shown, console.width))
    where = quote(str(path))
    if more:
        console.print(f"and {counted(more, 'more game')}: --limit {limit + more} lists them all")
    console.print(f"a game move by move: arena replay {where} {shown[0].number}", markup=False)


def _print_game(path: Path, game: ShownGame, *, boards: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(_plain(game), indent=2))
    else:
        _show(Replay(game), boards=boards)
        if game.record.key and game.is_played and game.record.verdict.is_fault:
            again = f"arena replay {quote(str(path))} {game.number} --rerun"
            click.echo(f"To play it again: {again}")


def open_games(path: Path) -> ContestGames | FileGames:
    if path.is_file() or (path.name.endswith(games_name("")) and not path.is_dir()):
        return FileGames(path)
    session = Session.read(path)
    return ContestGames(str(path), session.games, session.settle(graded=False))


def _show(replay: Replay, *, boards: bool) -> None:
    console = screen()
    # a person can press keys and see the board change
    takes_keys = console.is_terminal and not console.is_dumb_terminal and sys.stdin is not None
    if not boards and takes_keys and sys.stdin.isatty():
        step_through(replay, console)
        click.echo(replay.title())
        for line in replay.ending():
            click.echo(line)
        return
    for line in replay.lines():
        click.echo(line)


def _moves_json(analysis: GameAnalysis, record: GameRecord) -> list[dict[str, Any]]:
    return [
        {
            "ply": move.ply + 1,
            "value": analysis.values.get(move.ply),
            "best_value": move.position.value if move.ply in analysis.values else None,
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
        "analysis": _moves_json(game.analysis, record) if game.analysis else None,
    }


# Help on keys; the last text is shown only for an analysed game.
KEYS = ("→ ← step", "Home End", "q quits", "b next blunder")

# A key as terminals send it; Windows' console sends two characters for some.
KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|[\x00\xe0].|.", re.DOTALL)


def stepped(replay: Replay, ply: int, key: str) -> int | None:
    match key:
        case "\x1b[C" | "\x1bOC" | "\xe0M" | "\x00M" | "l" | " ":
            return min(ply + 1, replay.plies)
        case "\x1b[D" | "\x1bOD" | "\xe0K" | "\x00K" | "h":
            return max(ply - 1, 0)
        case "\x1b[H" | "\x1bOH" | "\x1b[1~" | "\x1b[7~" | "\xe0G" | "\x00G":
            return 0
        case "\x1b[F" | "\x1bOF" | "\x1b[4~" | "\x1b[8~" | "\xe0O" | "\x00O":
            return replay.plies
        case "b":
            later = [blunder for blunder in replay.blunders if blunder > ply]
            return min(later or replay.blunders, default=ply)
        case "q" | "\x04":
            return None
    return ply


def step_through(replay: Replay, console: Console) -> None:
    ply: int | None = replay.opening_plies
    said = " · ".join(KEYS if replay.blunders else KEYS[:-1])
    with _reading_keys() as pressed, Live(console=console, screen=True, auto_refresh=False) as live:
        while ply is not None:
            size = console.size
            live.update(frame(replay, ply, size.width, size.height, said), refresh=True)
            try:
                sent = pressed()
            except (EOFError, OSError):  # the terminal is closed
                return
            for key in KEY.findall(sent) or ["q"]:
                ply = None if ply is None else stepped(replay, ply, key)


@contextmanager
def _reading_keys() -> Iterator[Callable[[], str]]:
    """Yield a function that waits for keys. Ctrl-Z is off, as it would leave no echo."""
    if sys.platform == "win32":
        yield click.getchar
        return
    import termios
    import tty

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    tty.setcbreak(file)
    changed = termios.tcgetattr(file)
    changed[6][termios.VSUSP] = b"\0"
    termios.tcsetattr(file, termios.TCSANOW, changed)
    try:
        yield lambda: os.read(file, 1024).decode(errors="replace")
    finally:
        termios.tcsetattr(file, termios.TCSANOW, before)
